import Foundation
import Markets

/// The rules and where each of their alerts stands.
///
/// A poll puts every rule to every market it is about, 250,000 questions where there are many of both. So markets
/// are numbered, what rules compare lies in arrays by that number, and a sweep over these finds the few alerts whose
/// state may change; only they are put to `evaluate`.
public struct AlertBook: Sendable {
    public let rules: [AlertRule]
    public private(set) var identity: Identity
    var markets = MarketNumbers()
    var sight: MarketSight
    var standings: [RuleStanding]
    /// Alerts that are not simply inactive, and those that once were not: their announcements are counted on.
    var alerts: [AlertPlace: Alert] = [:]
    /// What the history remembers, until the first evaluation has put it in its place.
    var remembered: [AlertKey: Alert]
    /// Alerts that these rules have no place for: a rule, or a market of it, that returns counts on from them.
    var homeless: [AlertKey: Alert] = [:]
    /// In force, or ended and not yet told.
    public var silences: [Silence] = []

    /// What is the same for every event of one daemon.
    public struct Identity: Hashable, Sendable {
        /// Tells this database's events from those of any other.
        public var installation: String
        public var host: String
        public var currency: Currency

        public init(installation: String, host: String, currency: Currency) {
            self.installation = installation
            self.host = host
            self.currency = currency
        }
    }

    /// Rules with what the history remembers of their alerts.
    ///
    /// - Parameter every: The time between two polls of the shared lane as configured; what is in force may be longer.
    public init(
        rules: [AlertRule], remembering alerts: [AlertKey: Alert], identity: Identity, every: Duration = .minutes(1),
        lanes: OwnLanes = OwnLanes()
    ) {
        self.rules = rules
        self.identity = identity
        remembered = alerts
        sight = MarketSight(
            windows: rules.filter(\.enabled).compactMap(\.condition.window), every: every, lanes: lanes)
        standings = []
        for rule in rules {
            standings.append(RuleStanding(rule, window: rule.condition.window.flatMap(sight.windows.place(of:))))
        }
    }

    /// Where every alert stands that was ever more than inactive.
    public var standing: [AlertKey: Alert] {
        var all = remembered.merging(homeless) { _, settled in settled }
        for (place, alert) in alerts { all[key(of: place)] = alert }
        return all
    }

    /// The history could not be read at the start, and can be now: what it is called, and what it knows of alerts.
    public mutating func meet(_ known: [AlertKey: Alert], of installation: String) {
        identity.installation = installation
        for (place, alert) in alerts {
            let counted = known[key(of: place)]?.announcements ?? 0
            alerts[place]?.announcements = max(alert.announcements, counted)
        }
        let standing = standing
        remembered = known.filter { standing[$0.key] == nil }
    }

    /// What one evaluation changed: to be stored with the poll, then told.
    public struct Changes: Sendable {
        /// In the order of the changes; the last of an alert holds.
        public var alerts: [(key: AlertKey, alert: Alert)] = []
        public var events: [AlertEvent] = []
        /// Silences that have ended and were told of.
        public var endedSilences: [Int64] = []

        public init() {}
    }

    /// The circumstances of one evaluation.
    public struct Moment: Sendable {
        public var now: Date
        /// Every lane that has a market.
        public var lanes: [Lane: LaneMoment]
        /// While nobody asked, nothing could grow stale: from the last poll before the daemon's start to the start.
        public var downtime: Range<Date>?

        public init(now: Date, lanes: [Lane: LaneMoment], downtime: Range<Date>? = nil) {
            self.now = now
            self.lanes = lanes
            self.downtime = downtime
        }

        /// Where all markets are in the shared lane.
        public init(
            now: Date, interval: Duration, watchedUntil: Date? = nil, answered: Bool = true,
            lastUsableAnswer: Date? = nil, downtime: Range<Date>? = nil, healed: [MarketID: [PastQuote]] = [:]
        ) {
            let lane = LaneMoment(
                interval: interval, watchedUntil: watchedUntil, answered: answered,
                lastUsableAnswer: lastUsableAnswer, healed: healed)
            self.init(now: now, lanes: [.shared: lane], downtime: downtime)
        }

        subscript(lane: Lane) -> LaneMoment { lanes[lane] ?? LaneMoment(interval: .zero, answered: false) }

        /// Whether any lane was answered.
        var isAnswered: Bool { lanes.values.contains(where: \.answered) }

        /// How long `date` is past, without the time in which nobody asked.
        func age(of date: Date) -> Duration {
            let age = now.since(date)
            guard let downtime, date < downtime.upperBound else { return age }
            return age - downtime.upperBound.since(max(date, downtime.lowerBound))
        }
    }

    /// The circumstances of one lane.
    public struct LaneMoment: Sendable {
        /// The time between two polls that is in force.
        public var interval: Duration
        /// The last poll before a gap that this evaluation ends; nil where there was none.
        public var watchedUntil: Date?
        /// What was healed of that gap before it was judged, by market, oldest first.
        public var healed: [MarketID: [PastQuote]]
        /// Whether a poll was answered. Where none was, prices hold and the age of the data alone is judged.
        public var answered: Bool
        /// The last usable answer of the provider; where there never was one, when it was first asked.
        public var lastUsableAnswer: Date?

        public init(
            interval: Duration, watchedUntil: Date? = nil, answered: Bool = true, lastUsableAnswer: Date? = nil,
            healed: [MarketID: [PastQuote]] = [:]
        ) {
            self.interval = interval
            self.watchedUntil = watchedUntil
            self.answered = answered
            self.lastUsableAnswer = lastUsableAnswer
            self.healed = healed
        }

        /// Two answers further apart add nothing to the time that `for` counts.
        var longestStep: Duration { interval * 3 }
    }

    /// Plays one turn through every rule. Events come in the order of the rules.
    public mutating func evaluate(_ board: MarketBoard, at moment: Moment) -> Changes {
        var changes = Changes()
        follow(board, at: moment, into: &changes)
        if moment.isAnswered { sight.look(at: board, markets, at: moment) }
        for index in standings.indices { judge(index, board, at: moment, into: &changes) }
        endSilences(board, at: moment, into: &changes)
        return changes
    }
}

/// One alert, by the numbers of its rule and its market.
struct AlertPlace: Hashable, Comparable, Sendable {
    private let bits: UInt64

    init(rule: Int, market: Int) { bits = UInt64(rule) << 32 | UInt64(market) }

    var rule: Int { Int(bits >> 32) }
    var market: Int { Int(bits & 0xFFFF_FFFF) }

    static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

extension AlertBook {
    func key(of place: AlertPlace) -> AlertKey {
        AlertKey(rule: rules[place.rule].name, market: markets.ids[place.market])
    }

    /// Takes note of the markets that are there now, and ends the alerts of those that are not.
    mutating func follow(_ board: MarketBoard, at moment: Moment, into changes: inout Changes) {
        let left = markets.follow(board)
        if !remembered.isEmpty { numberRemembered() }
        makeRoom()
        settle(board, at: moment, into: &changes)
        if !left.isEmpty { retire(left, board, at: moment, into: &changes) }
        sight.windows.finishRecall()
    }

    private mutating func numberRemembered() {
        for key in remembered.keys { _ = markets.number(of: key.market) }
    }

    /// Follows the markets with everything that is kept by their numbers.
    mutating func makeRoom() {
        for index in standings.indices { standings[index].place(rules[index], &markets) }
        sight.grow(to: markets)
        for index in standings.indices { standings[index].grow(to: markets.ids.count) }
    }
}
