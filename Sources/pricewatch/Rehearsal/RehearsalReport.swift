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

    /// Sets the hints of each rule.
    ///
    /// - Parameters:
    ///   - recorded: The markets with at least one recorded price.
    ///   - length: The length of the replayed record, including the time before `since`.
    mutating func finish(recorded: Set<MarketID>, length: Duration) {
        for place in rules.indices { rules[place].hints = hints(rules[place], recorded, length) }
    }

    private func hints(_ rule: RehearsedRule, _ recorded: Set<MarketID>, _ length: Duration) -> [RehearsalHint] {
        guard rule.rule.enabled else { return [.disabled] }
        var hints: [RehearsalHint] = []
        if case .markets(let markets) = rule.rule.scope {
            let absent = markets.filter { !recorded.contains($0) }
            if !absent.isEmpty { hints.append(.noData(absent)) }
            if absent.count == markets.count { return hints }
        }
        if rule.audience.channels == 0 { hints.append(.noChannel) }
        if messagesADay(rule) > RehearsalHint.mostMessagesADay { hints.append(.noisy(messagesADay(rule))) }
        guard rule.periods.isEmpty else { return hints }
        if let expires = rule.rule.expires, expires <= since {
            hints.append(.expired(expires))
        } else if rule.count(.pending) > 0 {
            hints.append(.neverHeld(rule.count(.pending), needed: rule.rule.holdFor))
        } else if let window = rule.rule.condition.window, length < window * 4 / 5 {
            hints.append(.windowNotCovered(window, recorded: length))
        } else if !rule.rule.condition.isAboutData {
            let market = rule.rule.levelOfOne
            hints.append(.neverMet(market, market.flatMap { extremes[$0] }))
        }
        return hints
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

/// Why a rehearsed rule was silent or noisy.
struct RehearsalHint: Hashable, Sendable {
    let code: String
    let message: String

    static let disabled = RehearsalHint(code: "disabled", message: "it is disabled (enabled: false)")
    /// The alert is only logged and shown in the status.
    static let noChannel = RehearsalHint(
        code: "no_channel", message: "it goes to no channel, to log and status alone")

    static func expired(_ moment: Date) -> RehearsalHint {
        RehearsalHint(code: "expired", message: "it expired at \(moment.utcText)")
    }

    /// No prices of these markets were recorded.
    static func noData(_ markets: [MarketID]) -> RehearsalHint {
        let names = markets.prefix(5).map(\.text).joined(separator: ", ")
        let more = markets.count > 5 ? " and \(markets.count - 5) more" : ""
        return RehearsalHint(code: "no_data", message: "no data for \(names)\(more): nothing was recorded")
    }

    /// The window is longer than the record.
    static func windowNotCovered(_ window: Duration, recorded: Duration) -> RehearsalHint {
        RehearsalHint(
            code: "window_not_covered",
            message:
                "80 % of its window of \(window.unitsText) must be recorded, and only \(recorded.roundedText) are")
    }

    /// The condition began to hold this many times, but never for as long as `for` requires.
    static func neverHeld(_ times: Int, needed: Duration) -> RehearsalHint {
        let word = times == 1 ? "once" : "\(times) times"
        return RehearsalHint(
            code: "never_held",
            message: "the condition began to hold \(word), and never for \(needed.unitsText) (for)")
    }

    /// - Parameter range: the recorded extremes, for a rule about one market's level.
    static func neverMet(_ market: MarketID?, _ range: ClosedRange<Price>?) -> RehearsalHint {
        let nearest = market.flatMap { market in
            range.map { ": \(market) was between \($0.lowerBound) and \($0.upperBound)" }
        }
        return RehearsalHint(code: "never_met", message: "the condition never held\(nearest ?? "")")
    }

    static func noisy(_ messagesADay: Double) -> RehearsalHint {
        RehearsalHint(
            code: "noisy",
            message: "more than \(Int(mostMessagesADay)) messages a day (\(rounded(messagesADay))): "
                + "a larger threshold, for, clear, keep_firing_for or a longer repeat makes it quieter")
    }

    /// A rule with more messages a day is noisy.
    static let mostMessagesADay = 10.0

    /// At most one decimal.
    static func rounded(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
