import Foundation
import Markets

/// The contents of the status file.
package struct StatusReport: Sendable {
    package static let schema = 1
    /// The most markets listed: a larger file would cost more than the poll.
    package static let marketsListed = 1000

    package var state: State
    package var reasons: [Reason] = []
    package var pid: Int32?
    package var startedAt: Date?
    package var writtenAt: Date
    package var expiresAt: Date?
    package var nextPollAt: Date?
    package var lastPoll: CyclePoll?
    /// When the newest usable poll began; not in the file.
    package var lastUsablePoll: Date?
    /// Of the source with the most failures.
    package var consecutiveFailures = 0
    /// The shortest poll interval in force.
    package var interval: Duration
    package var feeds: [Feed] = []
    package var summary: DaySummary
    package var markets: [Market] = []
    package var marketsOmitted = 0
    /// Counts all markets, including those not listed.
    package var marketsByState: [MarketBoard.Entry.State: Int] = [:]
    package var firing: [AlertEvent] = []
    package var pending: [AlertEvent] = []
    /// Those in force.
    package var silences: [Silence] = []
    package var outbox = OutboxSize(queued: 0, oldest: nil)
    package var history: StoredHistory

    package enum State: String, Sendable, CaseIterable {
        case starting, ok, degraded, failing, stopping, stopped
    }

    package struct Reason: Hashable, Sendable {
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
        }

        package var code: Code
        package var message: String

        package init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }
    }

    package struct Feed: Hashable, Sendable {
        package var name: String
        package var state: State
        package var nextTryAt: Date?
        package var requestsThisMonth: Int
        package var quota: Int?
        package var quotaEndsAt: Date?

        package enum State: String, Sendable, CaseIterable {
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

        package init(
            name: String, state: State, nextTryAt: Date? = nil, requestsThisMonth: Int = 0, quota: Int? = nil,
            quotaEndsAt: Date? = nil
        ) {
            self.name = name
            self.state = state
            self.nextTryAt = nextTryAt
            self.requestsThisMonth = requestsThisMonth
            self.quota = quota
            self.quotaEndsAt = quotaEndsAt
        }
    }

    package struct Market: Hashable, Sendable {
        package var market: MarketID
        package var symbol: String
        package var name: String
        package var currency: Currency
        package var priceSample: MarketBoard.PriceSample?
        package var state: MarketBoard.Entry.State
        package var reason: UnknownReason?
        package var change: DayChange?

        package init(
            market: MarketID, symbol: String = "", name: String = "", currency: Currency,
            priceSample: MarketBoard.PriceSample? = nil, state: MarketBoard.Entry.State, reason: UnknownReason? = nil,
            change: DayChange? = nil
        ) {
            self.market = market
            self.symbol = symbol
            self.name = name
            self.currency = currency
            self.priceSample = priceSample
            self.state = state
            self.reason = reason
            self.change = change
        }
    }

    package init(
        state: State, writtenAt: Date, interval: Duration,
        summary: DaySummary = DaySummary(changes: [], coverage: CoverageShare(tenths: 0)), history: StoredHistory
    ) {
        self.state = state
        self.writtenAt = writtenAt
        self.interval = interval
        self.summary = summary
        self.history = history
    }

    /// Lists the board's markets, at most `marketsListed`.
    ///
    /// - Parameter changes: those of the board's entries, in their order.
    package mutating func list(_ board: MarketBoard, _ changes: [DayChange?], currency: Currency, at now: Date) {
        let count = min(board.entries.count, Self.marketsListed)
        marketsOmitted = board.entries.count - count
        for entry in board.entries { marketsByState[entry.state(at: now), default: 0] += 1 }
        markets = zip(board.entries, changes).prefix(count).map { entry, change in
            Market(
                market: entry.market, symbol: entry.symbol, name: entry.name, currency: currency,
                priceSample: entry.shown, state: entry.state(at: now), reason: entry.reason, change: change)
        }
    }
}
