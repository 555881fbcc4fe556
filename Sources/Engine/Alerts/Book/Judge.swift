import Foundation
import Markets

extension AlertBook {
    /// Evaluates one rule on its markets.
    mutating func judge(
        _ index: Int, _ board: MarketBoard, at moment: Context, into changes: inout Changes
    ) {
        let rule = rules[index]
        guard rule.enabled, !scopes[index].isOver else { return }
        if let expires = rule.expires, moment.now >= expires {
            scopes[index].isOver = true
            return retire(rule: index, .expired, board, at: moment, into: &changes)
        }
        if rule.condition.isAboutData {
            judgeData(index, board, at: moment, into: &changes)
        } else if moment.isAnswered {
            // A market without a fresh price in this poll changes no alert about prices.
            for market in scopes[index].markets ?? markets.onBoard {
                guard let price = evaluationPrices.prices[market] else { continue }
                decide(index, market, price, board, at: moment, into: &changes)
            }
        }
    }

    /// Whether the alert is inactive and the observation leaves it so.
    private func isIdle(_ place: AlertPlace, _ observation: Observation) -> Bool {
        alerts[place]?.state ?? .inactive == .inactive && rules[place.rule].condition.isMet(by: observation) != true
    }

    /// Evaluates one alert on a fresh price.
    private mutating func decide(
        _ index: Int, _ market: Int, _ price: Price, _ board: MarketBoard, at moment: Context,
        into changes: inout Changes
    ) {
        let observation = observe(index, market, price, at: moment)
        guard !isIdle(AlertPlace(rule: index, market: market), observation), markets.places[market] >= 0 else { return }
        let entry = board.entries[markets.places[market]]
        decide(index, market, entry, seeing: observation, at: moment, into: &changes)
    }

    mutating func decide(
        _ index: Int, _ market: Int, _ entry: MarketBoard.Entry?, seeing observation: Observation, at moment: Context,
        into changes: inout Changes
    ) {
        let place = AlertPlace(rule: index, market: market)
        let rule = rules[index]
        let before = alerts[place]
        var alert = before ?? Alert(condition: rule.condition.description)
        let source = entry?.source ?? rule.scope.source ?? .shared
        let next = verdict(
            on: rule, from: alert.state, seeing: observation, longestStep: moment[source].longestStep, now: moment.now)
        let origin = alert.state
        alert.state = next.state
        if let kind = next.reason.announcement {
            announce(
                kind, next.reason, of: &alert, from: origin, key(of: place), rule, entry, observation, at: moment,
                into: &changes)
        }
        guard alert != before ?? Alert(condition: rule.condition.description) else { return }
        keep(alert, at: place, into: &changes)
    }

    mutating func keep(_ alert: Alert, at place: AlertPlace, into changes: inout Changes) {
        alerts[place] = alert
        changes.alerts.append((key(of: place), alert))
    }

    private func observe(
        _ index: Int, _ market: Int, _ price: Price, at moment: Context
    ) -> Observation {
        guard let window = scopes[index].window else { return .price(price, among: nil) }
        guard evaluationPrices.windows.isCovered(market, window: window, now: moment.now.milliseconds) else {
            return .unknown(.notCovered)
        }
        return .price(price, among: evaluationPrices.windows.range(of: market, window: window))
    }
}

// MARK: Conditions on the data

extension AlertBook {
    private mutating func judgeData(
        _ index: Int, _ board: MarketBoard, at moment: Context, into changes: inout Changes
    ) {
        let rule = rules[index]
        if let source = rule.scope.source {
            guard let feed = scopes[index].markets?.first else { return }
            let silence = moment[source].lastUsableAnswer.map { since in
                // Under a quota throttle the interval is longer than configured; a shorter age is no silence.
                let age = moment.age(of: since)
                return Observation.silence(age < moment[source].longestStep ? .zero : age)
            }
            return decide(
                index, feed, nil, seeing: silence ?? .unknown(.noPrice), at: moment, into: &changes)
        }
        for market in scopes[index].markets ?? markets.onBoard where markets.places[market] >= 0 {
            let entry = board.entries[markets.places[market]]
            // No data can be expected of a market without a polled source.
            guard moment.sources[entry.source] != nil else { continue }
            guard let observation = rule.condition.observe(entry, at: moment) else { continue }
            guard !isIdle(AlertPlace(rule: index, market: market), observation) else { continue }
            decide(index, market, entry, seeing: observation, at: moment, into: &changes)
        }
    }
}

extension AlertRule.Condition {
    /// The age of a market's data; nil if it is not known now.
    fileprivate func observe(_ entry: MarketBoard.Entry, at moment: AlertBook.Context) -> Observation? {
        switch self {
        case .stale:
            // A market without any price counts from the first answer that should have held it.
            let since = entry.newest?.quotedAt ?? entry.watchedSince
            return since.map { .silence(max(.zero, moment.age(of: $0))) }
        case .marketStale:
            guard case .known = entry.lastAnswer, let newest = entry.newest else { return nil }
            return .silence(moment.age(of: newest.quotedAt) - entry.staleAfter)
        case .marketMissing: return moment[entry.source].answered ? .misses(entry.missedAnswers) : nil
        default: return nil
        }
    }
}

extension AlertBook {
    /// Evaluates the rules about prices on backfilled prices, as if a poll for these markets had returned them. Rules
    /// about the data depend on polls only.
    ///
    /// - Parameters:
    ///   - backfilled: the markets whose newest price on the board was backfilled.
    ///   - now: the time of these prices.
    package mutating func evaluate(backfilled: [MarketID], on board: MarketBoard, at now: Date) -> Changes {
        // Backfilled prices up to `backfilledStep` apart leave no gap, as in the windows; `longestStep` is three
        // intervals.
        let source = SourceContext(interval: .milliseconds(WatchGaps.backfilledStep / 3))
        let sources = backfilled.compactMap { board[$0].map { ($0.source, source) } }
        let moment = Context(now: now, sources: Dictionary(sources, uniquingKeysWith: { first, _ in first }))
        var changes = Changes()
        follow(board, at: moment, into: &changes)
        evaluationPrices.look(atBackfilled: backfilled, on: board, markets)
        for index in rules.indices where !rules[index].condition.isAboutData {
            judge(index, board, at: moment, into: &changes)
        }
        return changes
    }
}
