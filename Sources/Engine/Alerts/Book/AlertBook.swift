import Foundation
import Markets

/// The rules and the states of their alerts.
///
/// A poll evaluates every rule on each of its markets, up to 250,000 pairs. So markets are referred to by number, and
/// an inactive alert whose condition does not hold costs one comparison.
package struct AlertBook: Sendable {
    package let rules: [AlertRule]
    package private(set) var identity: Identity
    var markets = MarketNumbers()
    var evaluationPrices: EvaluationPrices
    var scopes: [RuleScope]
    /// Alerts that are, or once were, not inactive; the latter keep their count of announcements.
    var alerts: [AlertPlace: Alert] = [:]
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
        package var currency: Currency

        package init(installation: String, host: String, currency: Currency) {
            self.installation = installation
            self.host = host
            self.currency = currency
        }
    }

    /// Creates the book from the rules and the alerts in the history.
    ///
    /// - Parameter every: The time between two polls of the shared source as configured; what is in force may be longer.
    package init(
        rules: [AlertRule], remembering alerts: [AlertKey: Alert], identity: Identity, every: Duration = .minutes(1),
        sources: OwnSources = OwnSources()
    ) {
        self.rules = rules
        self.identity = identity
        remembered = alerts
        evaluationPrices = EvaluationPrices(
            windows: rules.filter(\.enabled).compactMap(\.condition.window), every: every, sources: sources)
        scopes = []
        for rule in rules {
            scopes.append(RuleScope(window: rule.condition.window.flatMap(evaluationPrices.windows.place(of:))))
        }
    }

    /// The state of every alert that was ever not inactive.
    package var states: [AlertKey: Alert] {
        var all = remembered.merging(orphaned) { _, settled in settled }
        for (place, alert) in alerts { all[key(of: place)] = alert }
        return all
    }

    /// Takes over the installation id and the alerts of a history that could not be read at the start.
    package mutating func join(_ known: [AlertKey: Alert], of installation: String) {
        identity.installation = installation
        for (place, alert) in alerts {
            let counted = known[key(of: place)]?.announcements ?? 0
            alerts[place]?.announcements = max(alert.announcements, counted)
        }
        let states = states
        remembered = known.filter { states[$0.key] == nil }
    }

    /// Takes over the alerts of the book before a reload or a backfill.
    package mutating func resume(_ before: AlertBook) { remembered = before.states }

    /// The changes of one evaluation, stored with the poll and then announced.
    package struct Changes: Sendable {
        /// In the order of the changes; the last of an alert holds.
        package var alerts: [(key: AlertKey, alert: Alert)] = []
        package var events: [AlertEvent] = []
        /// Ids of silences whose end was announced.
        package var endedSilences: [Int64] = []

        package init() {}
    }

    /// The context of one evaluation.
    package struct Context: Sendable {
        package var now: Date
        /// Every source that has a market.
        package var sources: [SourceID: SourceContext]
        /// The time from the last poll before the daemon's start to the start, in which data does not become stale;
        /// nil: none.
        package var downtime: Range<Date>?

        package init(now: Date, sources: [SourceID: SourceContext], downtime: Range<Date>? = nil) {
            self.now = now
            self.sources = sources
            self.downtime = downtime
        }

        /// Where all markets are in the shared source.
        package init(
            now: Date, interval: Duration, watchedUntil: Date? = nil, answered: Bool = true,
            lastUsableAnswer: Date? = nil, downtime: Range<Date>? = nil, backfilled: [MarketID: [PastQuote]] = [:]
        ) {
            let source = SourceContext(
                interval: interval, watchedUntil: watchedUntil, answered: answered,
                lastUsableAnswer: lastUsableAnswer, backfilled: backfilled)
            self.init(now: now, sources: [.shared: source], downtime: downtime)
        }

        subscript(source: SourceID) -> SourceContext {
            sources[source] ?? SourceContext(interval: .zero, answered: false)
        }

        /// Whether any source was answered.
        var isAnswered: Bool { sources.values.contains(where: \.answered) }

        /// The age of `date`, without the downtime.
        func age(of date: Date) -> Duration {
            let age = now.since(date)
            guard let downtime, date < downtime.upperBound else { return age }
            return age - downtime.upperBound.since(max(date, downtime.lowerBound))
        }
    }

    /// The context of one source in an evaluation.
    package struct SourceContext: Sendable {
        /// The time between two polls that is in force.
        package var interval: Duration
        /// The last poll before a gap that this evaluation ends; nil if there was none.
        package var watchedUntil: Date?
        /// The prices of that gap that were backfilled before the evaluation, by market, oldest first.
        package var backfilled: [MarketID: [PastQuote]]
        /// Whether a poll was answered. If none was, only rules on the age of the data are evaluated.
        package var answered: Bool
        /// The last usable answer of the provider; if there never was one, when it was first polled.
        package var lastUsableAnswer: Date?

        package init(
            interval: Duration, watchedUntil: Date? = nil, answered: Bool = true, lastUsableAnswer: Date? = nil,
            backfilled: [MarketID: [PastQuote]] = [:]
        ) {
            self.interval = interval
            self.watchedUntil = watchedUntil
            self.answered = answered
            self.lastUsableAnswer = lastUsableAnswer
            self.backfilled = backfilled
        }

        /// Two answers further apart add nothing to the time that `for` counts.
        var longestStep: Duration { interval * 3 }
    }

    /// Evaluates every rule. Events are in the order of the rules.
    package mutating func evaluate(_ board: MarketBoard, at moment: Context) -> Changes {
        var changes = Changes()
        follow(board, at: moment, into: &changes)
        if moment.isAnswered { evaluationPrices.look(at: board, markets, at: moment) }
        for index in rules.indices { judge(index, board, at: moment, into: &changes) }
        endSilences(board, at: moment, into: &changes)
        return changes
    }
}

/// One alert, by the numbers of its rule and its market.
struct AlertPlace: Hashable, Sendable {
    private let bits: UInt64

    init(rule: Int, market: Int) { bits = UInt64(rule) << 32 | UInt64(market) }

    var rule: Int { Int(bits >> 32) }
    var market: Int { Int(bits & 0xFFFF_FFFF) }
}

/// The window and the markets of one rule, by number.
struct RuleScope: Sendable {
    /// The window's place among the windows; nil if the rule has none.
    let window: Int?
    /// The markets it is about; nil: all.
    private(set) var markets: [Int]?
    /// Expired, and its alerts have been resolved.
    var isOver = false
    private var isPlaced = false

    init(window: Int?) { self.window = window }

    /// Looks up the numbers of its markets, once.
    mutating func place(_ rule: AlertRule, _ numbers: inout MarketNumbers) {
        guard !isPlaced else { return }
        isPlaced = true
        switch rule.scope {
        case .all: markets = nil
        case .markets(let ids):
            var known: Set<Int> = []
            markets = ids.map { numbers.number(of: $0) }.filter { known.insert($0).inserted }
        case .feed(let feed, _): markets = [numbers.number(of: feed)]
        }
    }
}

extension AlertBook {
    func key(of place: AlertPlace) -> AlertKey {
        AlertKey(rule: rules[place.rule].name, market: markets.ids[place.market])
    }

    /// Takes over the board's markets and resolves the alerts of those that left.
    mutating func follow(_ board: MarketBoard, at moment: Context, into changes: inout Changes) {
        let left = markets.follow(board)
        if !remembered.isEmpty { numberRemembered() }
        makeRoom()
        settle(board, at: moment, into: &changes)
        if !left.isEmpty { retire(left, board, at: moment, into: &changes) }
        evaluationPrices.windows.finishRecall()
    }

    private mutating func numberRemembered() {
        for key in remembered.keys { _ = markets.number(of: key.market) }
    }

    /// Sorts by rule, then by market id: market numbers depend on the order in which markets were first watched.
    func inOrder(_ places: some Sequence<AlertPlace>) -> [AlertPlace] {
        places.sorted { ($0.rule, markets.ids[$0.market]) < ($1.rule, markets.ids[$1.market]) }
    }

    /// Extends everything that is indexed by market number.
    mutating func makeRoom() {
        for index in rules.indices { scopes[index].place(rules[index], &markets) }
        evaluationPrices.grow(to: markets)
    }
}
