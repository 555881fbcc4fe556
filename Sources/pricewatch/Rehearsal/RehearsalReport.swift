import Engine
import Foundation
import History
import Markets

/// What all rules would have announced over a span of time.
struct RehearsalReport: Sendable {
    /// Events before this are not counted.
    let since: Date
    private(set) var until: Date
    private(set) var polls = 0
    /// The number of replayed backfilled prices; nil if they were excluded.
    private(set) var backfilledPrices: Int?
    /// If no channel is configured, messages are counted for one assumed channel.
    let assumesAChannel: Bool
    private(set) var rules: [RehearsedRule]
    private var places: [String: Int]
    /// The lowest and the highest price of the markets whose level a rule watches.
    private var extremes: [MarketID: ClosedRange<Price>] = [:]
    private let measured: [MarketID]

    init(of rules: [AlertRule], for channels: [Configuration.Channel], since: Date, withBackfilled: Bool = false) {
        backfilledPrices = withBackfilled ? 0 : nil
        self.since = since
        until = since
        assumesAChannel = channels.isEmpty
        self.rules = rules.map { RehearsedRule($0, Audience(of: $0, among: channels)) }
        places = Dictionary(rules.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        measured = Array(Set(rules.compactMap(\.levelOfOne)))
    }

    /// Takes the alerts that fire or are pending when the rehearsed span begins.
    mutating func start(_ alerts: ActiveAlerts) {
        for event in alerts.firing + alerts.pending {
            if let place = places[event.rule] { rules[place].start(with: event) }
        }
    }

    /// Adds the events of a cycle and the board after it.
    mutating func add(_ events: [AlertEvent], of cycle: RecordedCycle, _ board: MarketBoard) {
        for event in events where event.at >= since {
            if let place = places[event.rule] { rules[place].add(event) }
        }
        guard let first = cycle.polls.first, cycle.at >= since else { return }
        until = max(until, first.isBackfilled ? cycle.at : first.fetchedAt)
        if first.isBackfilled {
            backfilledPrices = backfilledPrices.map { $0 + cycle.polls.count }
        } else {
            polls += 1
        }
        for market in measured {
            guard let price = board[market]?.shown?.price else { continue }
            let seen = extremes[market] ?? price...price
            extremes[market] = min(seen.lowerBound, price)...max(seen.upperBound, price)
        }
    }

    /// In days, at least 1, so that one message in a short span is not noisy.
    var days: Double { max(1, until.since(since).inSeconds / 86_400) }

    func messagesADay(_ rule: RehearsedRule) -> Double { Double(rule.messages) / days }

    /// Sets the hint of each rule.
    ///
    /// - Parameters:
    ///   - recorded: The markets with at least one recorded price.
    ///   - length: The length of the replayed record, including the time before `since`.
    mutating func finish(recorded: Set<MarketID>, length: Duration) {
        for place in rules.indices { rules[place].hint = hint(rules[place], recorded, length) }
    }

    private func hint(_ rehearsed: RehearsedRule, _ recorded: Set<MarketID>, _ length: Duration) -> RehearsalHint? {
        let rule = rehearsed.rule
        guard rule.enabled else { return RehearsalHint("disabled", "it is disabled (enabled: false)") }
        if case .markets(let markets) = rule.scope {
            let absent = markets.filter { !recorded.contains($0) }
            let names = absent.prefix(5).map(\.text).joined(separator: ", ") + (absent.count > 5 ? ", …" : "")
            guard absent.isEmpty else { return RehearsalHint("no_data", "no data for \(names): nothing was recorded") }
        }
        if rehearsed.audience.channels == 0 {
            return RehearsalHint("no_channel", "it goes to no channel, to log and status only")
        }
        if messagesADay(rehearsed) > Self.mostMessagesADay {
            return RehearsalHint(
                "noisy",
                "more than \(Int(Self.mostMessagesADay)) messages a day (\(Self.rounded(messagesADay(rehearsed)))): "
                    + "a larger threshold, for, clear, keep_firing_for or a longer repeat makes it quieter")
        }
        if let first = rehearsed.periods.map(\.from).min() {
            guard rehearsed.count(.firing) == 0 else { return nil }
            return RehearsalHint("firing_before", "it was firing before this time began, since \(first.utcText)")
        }
        if let expires = rule.expires, expires <= since {
            return RehearsalHint("expired", "it expired at \(expires.utcText)")
        }
        let times = rehearsed.timesPending
        if times > 0 {
            return RehearsalHint(
                "never_held",
                "the condition began to hold \(times == 1 ? "once" : "\(times) times"), "
                    + "and never for \(rule.holdFor.unitsText) (for)")
        }
        if let window = rule.condition.window, length < window * 4 / 5 {
            return RehearsalHint(
                "window_not_covered",
                "80 % of its window of \(window.unitsText) must be recorded, and only \(length.roundedText) are")
        }
        if rule.condition.isAboutData { return nil }
        let nearest = rule.levelOfOne.flatMap { market in
            extremes[market].map { ": \(market) was between \($0.lowerBound) and \($0.upperBound)" }
        }
        return RehearsalHint("never_met", "the condition never held\(nearest ?? "")")
    }

    /// A rule with more messages a day is noisy.
    private static let mostMessagesADay = 10.0

    /// At most one decimal.
    static func rounded(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

/// Why a rehearsed rule was silent or noisy: the first reason that holds.
struct RehearsalHint: Hashable, Sendable {
    let code: String
    let message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension AlertRule {
    /// The market of a rule about the price level of one market; nil for any other rule.
    fileprivate var levelOfOne: MarketID? {
        guard case .markets(let markets) = scope, markets.count == 1 else { return nil }
        switch condition {
        case .above, .below, .outside: return markets.first
        default: return nil
        }
    }

    /// How far back prices affect the rule's present state.
    var memory: Duration {
        max(condition.window ?? .zero, holdFor, keepFiringFor)
    }
}
