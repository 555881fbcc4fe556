import Foundation
import Markets

extension AlertBook {
    /// Evaluates one rule on its markets.
    mutating func judge(_ rule: Int, _ evaluation: inout Evaluation) {
        guard rules[rule].enabled, !scopes[rule].isOver else { return }
        if rules[rule].isExpired(at: evaluation.context.now) {
            scopes[rule].isOver = true
            for market in inOrder(alerts[rule].keys) { retire(rule, market, .expired, &evaluation) }
        } else if let source = rules[rule].scope.source {
            judgeFeed(of: source, rule, &evaluation)
        } else if rules[rule].condition.isAboutData {
            judgeData(rule, &evaluation)
        } else if evaluation.context.isAnswered {
            judgePrices(rule, &evaluation)
        }
    }

    /// A market without a fresh price in this poll changes no alert about prices.
    private mutating func judgePrices(_ rule: Int, _ evaluation: inout Evaluation) {
        let now = evaluation.context.now.milliseconds
        let (condition, window) = (rules[rule].condition, scopes[rule].window)
        for market in scopes[rule].markets ?? markets.onBoard {
            guard let price = prices[market], let place = markets.places[market] else { continue }
            var observation = Observation.price(price, among: nil)
            if let window {
                observation =
                    windows.isCovered(market, window: window, now: now)
                    ? .price(price, among: windows.range(of: market, window: window)) : .unknown
            }
            guard condition.isMet(by: observation) == true || isActive(rule, market) else { continue }
            decide(rule, market, observation, in: evaluation.board.entries[place].source, &evaluation)
        }
    }

    /// Whether an observation that does not meet the condition can change the alert.
    private func isActive(_ rule: Int, _ market: Int) -> Bool {
        guard !alerts[rule].isEmpty, let alert = alerts[rule][market] else { return false }
        return alert.state != .inactive
    }

    private mutating func judgeFeed(of source: SourceID, _ rule: Int, _ evaluation: inout Evaluation) {
        guard let feed = scopes[rule].markets?.first else { return }
        let context = evaluation.context
        let silence = context[source].lastUsableAnswer.map { since in
            // Under a quota throttle the interval is longer than configured; a shorter age is no silence.
            let age = context.age(of: since)
            return Observation.silence(age < context[source].longestStep ? .zero : age)
        }
        decide(rule, feed, silence ?? .unknown, in: source, &evaluation)
    }

    private mutating func judgeData(_ rule: Int, _ evaluation: inout Evaluation) {
        let condition = rules[rule].condition
        for market in scopes[rule].markets ?? markets.onBoard {
            guard let place = markets.places[market] else { continue }
            let source = evaluation.board.entries[place].source
            // No data can be expected of a market without a polled source.
            guard evaluation.context.sources[source] != nil,
                let observation = condition.observe(place, evaluation.board, evaluation.context),
                condition.isMet(by: observation) == true || isActive(rule, market)
            else { continue }
            decide(rule, market, observation, in: source, &evaluation)
        }
    }

    private mutating func decide(
        _ index: Int, _ market: Int, _ observation: Observation, in source: SourceID, _ evaluation: inout Evaluation
    ) {
        let rule = rules[index]
        let before = alerts[index][market] ?? Alert(condition: rule.condition)
        var alert = before
        let next = verdict(
            on: rule, from: alert.state, seeing: observation, longestStep: evaluation.context[source].longestStep,
            now: evaluation.context.now)
        if let reason = next.reason {
            announce(reason, of: &alert, key(index, market), rule, observation, &evaluation)
        }
        alert.state = next.state
        if alert != before { keep(alert, index, market, &evaluation) }
    }
}

extension AlertRule.Condition {
    /// The age of a market's data; nil if it is not known now.
    fileprivate func observe(_ place: Int, _ board: MarketBoard, _ context: AlertBook.Context) -> Observation? {
        switch self {
        case .stale:
            let entry = board.entries[place]
            guard let since = entry.newest?.quotedAt ?? entry.watchedSince else { return nil }
            let silence = Observation.silence(max(.zero, context.age(of: since)))
            // A market without any price counts from the first answer that should have held it. A start begins anew
            // with that, which ends no alert.
            return entry.newest == nil && isMet(by: silence) != true ? nil : silence
        // A portfolio has no quotes of its own: its parts are named and have these alerts.
        case .marketStale where board.entries[place].portfolio != nil,
            .marketMissing where board.entries[place].portfolio != nil:
            return nil
        case .marketStale:
            guard case .known = board.entries[place].lastAnswer, let quotedAt = board.entries[place].newest?.quotedAt
            else { return nil }
            return .silence(context.age(of: quotedAt) - board.entries[place].staleAfter)
        case .marketMissing:
            return context[board.entries[place].source].answered ? .misses(board.entries[place].missedAnswers) : nil
        default: return nil
        }
    }
}
