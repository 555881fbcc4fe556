import Foundation
import Markets

/// The rules and the states of their alerts.
///
/// A poll evaluates every rule on each of its markets, up to 250,000 pairs. So markets are referred to by number, and
/// an inactive alert whose condition does not hold costs one comparison.
package struct AlertBook: Sendable {
    package let rules: [AlertRule]
    package private(set) var identity: Identity
    /// The markets with a feed of their own.
    private let ownSources: [MarketID: SourceID]
    var markets = MarketNumbers()
    /// By market number: its fresh price of this poll; nil if it has none.
    var prices: [Price?] = []
    var windows: PriceWindows
    /// Each source's group in the windows.
    private let groups: [SourceID: Int]
    var scopes: [RuleScope] = []
    /// By rule, then by market number: alerts that are, or once were, not inactive; the latter keep their count of
    /// announcements.
    var alerts: [[Int: Alert]]
    /// Alerts from the history that the first evaluation has not assigned yet.
    var remembered: [AlertKey: Alert]
    /// Alerts whose rule or market is gone; if it returns, their announcements are counted on.
    var orphaned: [AlertKey: Alert] = [:]
    /// In force, or ended and not yet announced.
    package var silences: [Silence] = []

    /// What is the same for every event of one daemon.
    package struct Identity: Hashable, Sendable {
        /// Identifies this database; part of every event's id.
        package var installation: String
        package var host: String
        /// Of events about feeds.
        package var currency: Currency
    }

    /// The markets of one rule and its window, by number.
    struct RuleScope: Sendable {
        /// Nil: all.
        let markets: [Int]?
        /// The window's place among the windows; nil if the rule has none.
        let window: Int?
        /// Expired, and its alerts have been resolved.
        var isOver = false
    }

    /// The changes of one evaluation, stored with the poll and then announced.
    package struct Changes: Sendable {
        /// In the order of the changes; the last of an alert holds.
        package var alerts: [(key: AlertKey, alert: Alert)] = []
        package var events: [AlertEvent] = []
        /// Ids of silences whose end was announced.
        package var endedSilences: [Int64] = []
    }

    /// One evaluation: what it goes by, and what it changes.
    struct Evaluation {
        let board: MarketBoard
        let context: Context
        var changes = Changes()
    }

    /// Creates the book from the rules and the alerts in the history.
    package init(_ settings: Settings, remembering alerts: [AlertKey: Alert] = [:], installation: String) {
        rules = settings.rules
        identity = Identity(
            installation: installation, host: settings.host, currency: settings.watchlist.currencies.usual)
        ownSources = settings.watchlist.ownSources
        remembered = alerts
        self.alerts = Array(repeating: [:], count: rules.count)
        // Recorded polls may be of the shared source although no market is in it now.
        let ids = [.shared] + settings.sources.map(\.id).filter { $0 != .shared }
        groups = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        windows = PriceWindows(
            rules.filter(\.enabled).compactMap(\.condition.window), every: ids.map(settings.every(of:)))
        for rule in rules {
            let ids: [MarketID]? =
                switch rule.scope {
                case .all: nil
                case .markets(let ids): ids
                case .feed(let feed, _): [feed]
                }
            var known: Set<Int> = []
            let numbers = ids?.map { markets.number(of: $0) }.filter { known.insert($0).inserted }
            scopes.append(RuleScope(markets: numbers, window: rule.condition.window.flatMap(windows.place)))
        }
    }

    func key(_ rule: Int, _ market: Int) -> AlertKey { AlertKey(rule: rules[rule].name, market: markets.ids[market]) }

    /// The state of every alert that was ever not inactive.
    package var states: [AlertKey: Alert] {
        var all = remembered.merging(orphaned) { _, settled in settled }
        for rule in rules.indices { for (market, alert) in alerts[rule] { all[key(rule, market)] = alert } }
        return all
    }

    /// Takes over the installation id and the alerts of a history that could not be read at the start.
    mutating func join(_ known: [AlertKey: Alert], of installation: String) {
        identity.installation = installation
        for rule in rules.indices {
            for (market, alert) in alerts[rule] {
                let counted = known[key(rule, market)]?.announcements ?? 0
                alerts[rule][market]?.announcements = max(alert.announcements, counted)
            }
        }
        let states = states
        remembered = known.filter { states[$0.key] == nil }
    }

    /// Takes over the alerts of the book before a reload or a backfill.
    mutating func resume(_ before: AlertBook) { remembered = before.states }

    /// Resets latched `once` rules.
    mutating func forgetLatched() {
        for rule in rules.indices {
            for (market, alert) in alerts[rule] where alert.state == .latched {
                alerts[rule][market]?.state = .inactive
            }
        }
    }
}

// MARK: Evaluation

extension AlertBook {
    /// Evaluates every rule. Events are in the order of the rules.
    package mutating func evaluate(_ board: MarketBoard, at context: Context) -> Changes {
        var evaluation = Evaluation(board: board, context: context)
        follow(&evaluation)
        if context.isAnswered { addPrices(of: board, at: context) }
        for market in revalued(on: board, at: context) { startAnew(market, &evaluation) }
        for rule in rules.indices { judge(rule, &evaluation) }
        endSilences(&evaluation)
        return evaluation.changes
    }

    /// Evaluates the rules about prices on backfilled prices, as if a poll for these markets had returned them. Rules
    /// about the data depend on polls only.
    ///
    /// - Parameters:
    ///   - backfilled: the markets whose newest price on the board was backfilled.
    ///   - now: the time of these prices.
    mutating func evaluate(backfilled: [MarketID], on board: MarketBoard, at now: Date) -> Changes {
        // Backfilled prices up to `backfilledStep` apart leave no gap, as in the windows; `longestStep` is three
        // intervals.
        let source = SourceContext(interval: .milliseconds(WatchGaps.backfilledStep / 3))
        // A rehearsed market may have a source that is never polled.
        let sources = backfilled.compactMap { board[$0].map { ($0.source, source) } }
        let context = Context(now: now, sources: Dictionary(sources, uniquingKeysWith: { first, _ in first }))
        var evaluation = Evaluation(board: board, context: context)
        follow(&evaluation)
        prices = Array(repeating: nil, count: prices.count)
        for market in backfilled {
            guard let number = markets.known(market), let newest = board[market]?.shown else { continue }
            prices[number] = newest.price
            windows.add(backfilled: newest.price, quotedAt: newest.quotedAt.milliseconds, of: number)
        }
        for rule in rules.indices where !rules[rule].condition.isAboutData { judge(rule, &evaluation) }
        return evaluation.changes
    }

    /// Takes over the board's markets and resolves the alerts of those that left.
    private mutating func follow(_ evaluation: inout Evaluation) {
        let left = Set(markets.follow(evaluation.board))
        for key in remembered.keys { _ = markets.number(of: key.market) }
        makeRoom()
        assignRemembered(&evaluation)
        guard !left.isEmpty else { return }
        for rule in rules.indices {
            for market in inOrder(alerts[rule].keys) where left.contains(market) {
                retire(rule, market, .unwatched, &evaluation)
            }
        }
    }

    /// Market numbers depend on the order in which markets were first watched; events do not.
    func inOrder(_ numbers: some Sequence<Int>) -> [Int] { numbers.sorted { markets.ids[$0] < markets.ids[$1] } }

    /// Extends everything that is indexed by market number.
    private mutating func makeRoom() {
        for market in markets.ids[prices.count...] {
            windows.addMarket(inGroup: ownSources[market].flatMap { groups[$0] } ?? 0)
            prices.append(nil)
        }
    }

    /// Takes over the board's prices after an answer.
    private mutating func addPrices(of board: MarketBoard, at context: Context) {
        for number in prices.indices where markets.places[number] == nil { prices[number] = nil }
        let time = context.now.milliseconds
        for (source, answer) in context.sources where answer.answered {
            if let group = groups[source] { windows.setInterval(answer.interval, of: group) }
        }
        for market in revalued(on: board, at: context) { windows.forget(market) }
        let answered = context.sources.filter(\.value.answered).map(\.key)
        board.eachPrice(at: time, answered: answered) { place, price, quotedAt, isFresh in
            let number = markets.onBoard[place]
            prices[number] = isFresh ? price : nil
            if let price { windows.add(price, quotedAt: quotedAt, of: number, answeredAt: isFresh ? time : nil) }
        }
    }
}

// MARK: The recorded past

/// Rebuilds the windows at start, oldest first. Markets are given by their places in `watched`.
extension AlertBook {
    /// How far the rules look back on each of these markets; markets that no rule looks back on are left out.
    package func lookbacks(on watched: [MarketID]) -> [MarketID: Duration] {
        var longest: [MarketID: Duration] = [:]
        for rule in rules where rule.enabled {
            guard let window = rule.condition.window else { continue }
            for market in watched where window > longest[market] ?? .zero && rule.scope.covers(market) {
                longest[market] = window
            }
        }
        return longest
    }

    /// Beyond this age, the past may be recalled by the hour.
    package static let recalledExactly = Duration.milliseconds(PriceWindows.exactFor)

    /// Adds a recorded hour of a market in place of its samples; called before any poll is added.
    package mutating func recall(hour start: Date, low: Price, high: Price, of market: MarketID) {
        let number = number(market)
        windows.add(hour: start.milliseconds, low: low, high: high, of: number)
    }

    /// Adds a recorded poll.
    ///
    /// - Parameters:
    ///   - source: the source that it polled.
    ///   - interval: the poll interval in force; zero: as configured.
    ///   - samples: its new prices.
    ///   - unknown: the markets without a fresh price.
    package mutating func recall(
        poll: Date, source: SourceID = .shared, interval: Duration = .zero,
        samples: [(market: Int, quotedAt: Date, price: Price)], unknown: [Int], of watched: [MarketID]
    ) {
        guard let group = groups[source] else { return }
        let samples = samples.map { (number(watched[$0.market]), $0.quotedAt.milliseconds, $0.price) }
        windows.setInterval(interval, of: group)
        windows.add(
            recorded: poll.milliseconds, group: group, samples: samples, unknown: unknown.map { number(watched[$0]) })
    }

    /// Adds backfilled prices, in chronological order with the polls.
    package mutating func recall(
        backfilled samples: [(market: Int, quotedAt: Date, price: Price)], of watched: [MarketID]
    ) {
        for (market, quotedAt, price) in samples {
            let number = number(watched[market])
            windows.add(backfilled: price, quotedAt: quotedAt.milliseconds, of: number)
        }
    }

    private mutating func number(_ market: MarketID) -> Int {
        defer { makeRoom() }
        return markets.number(of: market)
    }
}

/// The market numbers of the alert book. A market keeps its number while the daemon runs, also while it is not watched.
struct MarketNumbers: Sendable {
    private(set) var ids: [MarketID] = []
    private var numbers: [MarketID: Int] = [:]
    /// By place on the board: the market's number.
    private(set) var onBoard: [Int] = []
    /// By number: the place on the board; nil where it is not watched.
    private(set) var places: [Int?] = []
    private var seen: [MarketID] = []

    mutating func number(of market: MarketID) -> Int {
        if let number = numbers[market] { return number }
        numbers[market] = ids.count
        ids.append(market)
        places.append(nil)
        return ids.count - 1
    }

    func known(_ market: MarketID) -> Int? { numbers[market] }

    /// Takes over the order of the board; returns the numbers of the markets that are no longer on it.
    mutating func follow(_ board: MarketBoard) -> [Int] {
        let markets = board.markets
        guard markets != seen else { return [] }
        let before = onBoard
        for number in before { places[number] = nil }
        onBoard = markets.map { number(of: $0) }
        for (place, number) in onBoard.enumerated() { places[number] = place }
        seen = markets
        return before.filter { places[$0] == nil }
    }
}
