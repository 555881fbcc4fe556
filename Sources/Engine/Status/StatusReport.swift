import Foundation
import Markets

/// The contents of the status file: the daemon writes it, `status` reads it back.
package struct StatusReport: Sendable {
    package static let schema = 1
    /// The most markets that the file lists: a larger one would cost more than the poll.
    static let marketsListed = 1000

    package var version = Version.current
    /// A state that this release does not know is none to rely on.
    package var state = State.failing
    package var reasons: [Reason] = []
    package var pid: Int32?
    package var startedAt: Date?
    package var writtenAt = Date.distantPast
    package var expiresAt: Date?
    package var nextPollAt: Date?
    package var lastPoll: CyclePoll?
    /// When the newest usable poll began; not in the file.
    package var lastUsablePoll: Date?
    /// Of the source with the most failures.
    package var consecutiveFailures = 0
    /// The shortest poll interval in force.
    package var interval = Duration.zero
    package var feeds: [Feed] = []
    package var summary = DaySummary()
    package var markets: [Market] = []
    /// How many markets the file that this was read from does not list.
    package var marketsOmitted = 0
    package var firing: [AlertEvent] = []
    package var pending: [AlertEvent] = []
    package var dormant: [DormantAlert] = []
    /// Those in force.
    package var silences: [Silence] = []
    package var outbox = OutboxSize(queued: 0, oldest: nil)
    package var exports: [Export] = []
    package var history = StoredHistory(database: "")

    package enum State: String, Sendable, CaseIterable, JSONScalar {
        case starting, ok, degraded, failing, stopping, stopped
    }

    package struct Reason: Hashable, Sendable {
        package var code = ""
        package var message = ""

        package enum Code: String, Sendable, CaseIterable {
            case pollFailed = "poll_failed"
            case waiting, standby, quota, clock
            case marketMissing = "market_missing"
            case marketStale = "market_stale"
            case marketUnknown = "market_unknown"
            case notRecording = "not_recording"
            case databaseReplaced = "database_replaced"
            case configRejected = "config_rejected"
            case logUnwritable = "log_unwritable"
            case notifyFailing = "notify_failing"
            case exportFailing = "export_failing"
            case exportRefused = "export_refused"
        }

        package init() {}

        package init(_ code: Code, _ message: String) {
            self.code = code.rawValue
            self.message = message
        }
    }

    package struct Feed: Hashable, Sendable {
        package var name = ""
        package var state = State.failing
        package var nextTryAt: Date?
        package var requestsThisMonth = 0
        package var quota: Int?
        package var quotaEndsAt: Date?

        package enum State: String, Sendable, CaseIterable, JSONScalar {
            /// Its prices are taken.
            case serving
            /// Asked only if the feeds before it fail.
            case standby
            /// In a cooldown, after failures or at the provider's request.
            case cooling
            /// The provider refuses requests until the user acts.
            case blocked
            /// It is the serving feed, and its last poll failed.
            case failing
        }

        package init() {}
    }

    package struct Export: Hashable, Sendable {
        package var name = ""
        package var state = ExportState.ok
        /// The age of the oldest sample that is to be sent.
        package var lag = Duration.zero
        /// Samples that are to be sent.
        package var pending = 0
        /// Samples that were sent; not in the file.
        package var sent = 0
        /// Lines that the engine refused for good.
        package var refused = 0
        /// Samples that were pruned before they were sent.
        package var lost = 0
        /// Why the last request failed.
        package var error: String?

        package init() {}
    }

    package struct Market: Hashable, Sendable {
        package var market = MarketID.feed
        package var symbol = ""
        package var name = ""
        package var currency = Currency.usd
        package var price: Price?
        package var feed: String?
        package var quotedAt: Date?
        package var fetchedAt: Date?
        package var state = MarketBoard.Entry.State.unknown
        package var reason: UnknownReason?
        package var change: Percent?
        package var basis: DayChange.Basis?
        /// Of a portfolio with a stated cost; nil elsewhere. The gain is that of a known value.
        package var cost: Decimal?
        package var gain: Decimal?
        package var gainPercent: Percent?

        package init() {}

        init(_ entry: MarketBoard.Entry, _ change: DayChange?, at now: Date) {
            market = entry.market
            symbol = entry.symbol
            name = entry.name
            currency = entry.currency
            state = entry.state(at: now)
            // The value of a portfolio ends with that of a part.
            reason = entry.reason ?? (state == .unknown ? .incomplete : nil)
            let shown = entry.shown(at: now)
            price = shown?.price
            feed = shown?.feed
            quotedAt = shown?.quotedAt
            fetchedAt = shown?.fetchedAt
            self.change = change?.percent
            basis = change?.basis
            guard let portfolio = entry.portfolio else { return }
            cost = portfolio.cost
            if let price { (gain, gainPercent) = portfolio.gain(at: price) }
        }
    }

    package init() {}

    /// What the daemon and the history alone have in common.
    package init(
        _ board: MarketBoard, _ day: RollingSummary, _ alerts: ActiveAlerts, _ silences: [Silence],
        at now: Date
    ) {
        writtenAt = now
        let changes = board.entries.map { day.change(of: $0, at: now) }
        summary = day.summary(of: board, changes, at: now)
        markets = zip(board.entries, changes).map { Market($0, $1, at: now) }
        firing = alerts.firing
        pending = alerts.pending
        dormant = alerts.dormant
        self.silences = silences.filter { $0.until > now }
    }
}

// MARK: Judging the markets

extension StatusReport {
    /// `stale: bitcoin, ethereum, tether and 2 more`, for each state but fresh.
    var marketReasons: [Reason] {
        let states: [(MarketBoard.Entry.State, Reason.Code)] = [
            (.missing, .marketMissing), (.stale, .marketStale), (.unknown, .marketUnknown),
        ]
        return states.compactMap { state, code in
            let names = markets.filter { $0.state == state }.map(\.market.text)
            return names.isEmpty ? nil : Reason(code, "\(state.rawValue): \(names.listed())")
        }
    }

    /// The state of a running daemon with these markets and reasons.
    var judgedState: State {
        if !markets.contains(where: { $0.state == .fresh }) { return .failing }
        return reasons.isEmpty ? .ok : .degraded
    }

    /// The report at a later time: quotes that were fresh when it was written become stale with age, also if the daemon
    /// no longer updates it.
    ///
    /// - Parameters:
    ///   - portfolios: those of the configuration.
    ///   - staleAfter: the age from which a market's quote is stale.
    package func aged(
        at now: Date, portfolios: [MarketID: Portfolio] = [:], staleAfter: (MarketID) -> Duration
    ) -> StatusReport {
        var aged = self
        for (place, market) in markets.enumerated() where market.state == .fresh {
            // A quote that was fresh at writing keeps the age it had then, even if the configuration's limit is shorter
            // by now. The file's times are whole seconds.
            guard let quotedAt = market.quotedAt,
                now.since(quotedAt) > max(staleAfter(market.market), writtenAt.since(quotedAt)) + .seconds(1)
            else { continue }
            aged.markets[place].state = .stale
            aged.markets[place].change = nil
            aged.markets[place].basis = nil
        }
        guard aged.markets != markets else { return self }
        if !portfolios.isEmpty { aged.age(portfolios) }
        aged.summary = DaySummary(changes: aged.markets.map { ($0.market, $0.change) }, coverage: summary.coverage)
        aged.summary.watchedSince = summary.watchedSince
        aged.summary.unknown += marketsOmitted
        // A daemon that has stopped or just started does not judge its markets.
        guard [.ok, .degraded, .failing].contains(state) else { return aged }
        let codes = [Reason.Code.marketStale, .marketUnknown].map(\.rawValue)
        aged.reasons =
            reasons.filter { !codes.contains($0.code) } + aged.marketReasons.filter { codes.contains($0.code) }
        aged.state = aged.judgedState
        return aged
    }

    /// Takes the value from the portfolios of which a part is no longer fresh.
    private mutating func age(_ portfolios: [MarketID: Portfolio]) {
        let fresh = Set(markets.filter { $0.state == .fresh }.map(\.market))
        for (place, market) in markets.enumerated() where market.state == .fresh {
            guard let portfolio = portfolios[market.market],
                !portfolio.parts.allSatisfy({ fresh.contains($0.market) })
            else { continue }
            var unknown = Market()
            (unknown.market, unknown.symbol, unknown.name) = (market.market, market.symbol, market.name)
            (unknown.currency, unknown.cost, unknown.reason) = (market.currency, market.cost, .incomplete)
            markets[place] = unknown
        }
    }
}

extension StatusReport.Market {
    /// `bitcoin 59,990 usd, +1.25 %`, `AAPL 232.38 usd, stale`, `tether missing (not_answered)`
    package var digestLine: String {
        let market = SafeText.printable(market.text)
        guard let price else { return "\(market) \(state.rawValue)" + (reason.map { " (\($0.rawValue))" } ?? "") }
        let change = change.map { "\($0.signed) %" } ?? (state == .fresh ? "24h change unknown" : state.rawValue)
        return "\(market) \(PriceText.text(price)) \(currency), \(change)"
    }
}
