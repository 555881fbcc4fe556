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
    private var extremes: [MarketID: RehearsalHint.Nearest] = [:]
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
    mutating func add(_ events: [AlertEvent], of turn: RecordedCycle, _ board: MarketBoard) {
        for event in events where event.at >= since {
            if let place = places[event.rule] { rules[place].add(event) }
        }
        switch turn.kind {
        case .polls(let polls):
            guard polls[0].at >= since else { return }
            until = max(until, polls[0].fetchedAt)
            self.polls += 1
        case .backfilled(let samples, feed: _):
            guard samples[0].quotedAt >= since else { return }
            until = max(until, samples[0].quotedAt)
            backfilledPrices = backfilledPrices.map { $0 + samples.count }
        case .idle: return
        }
        for market in measured {
            guard let price = board[market]?.shown?.price else { continue }
            var seen = extremes[market] ?? .init(market: market, lowest: price, highest: price)
            seen.lowest = min(seen.lowest, price)
            seen.highest = max(seen.highest, price)
            extremes[market] = seen
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
            hints.append(.neverMet(nearest: rule.rule.levelOfOne.flatMap { extremes[$0] }))
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
