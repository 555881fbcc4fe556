import Foundation
import Markets

extension AlertBook {
    /// Puts one rule to its markets.
    mutating func judge(
        _ index: Int, _ board: MarketBoard, at moment: Moment, into changes: inout Changes
    ) {
        let rule = rules[index]
        guard rule.enabled, !standings[index].isOver else { return }
        if let expires = rule.expires, moment.now >= expires {
            standings[index].isOver = true
            return retire(rule: index, .expired, board, at: moment, into: &changes)
        }
        if rule.condition.isAboutData {
            judgeData(index, board, at: moment, into: &changes)
        } else if moment.isAnswered {
            for market in candidates(index) { decide(index, market, board, at: moment, into: &changes) }
        }
    }

    /// The markets whose alert of this rule may change with the prices in sight.
    private func candidates(_ index: Int) -> [Int] {
        let standing = standings[index]
        func sweep(_ bounds: Screen.Bounds, _ values: [Double], _ adjust: (Double) -> Double) -> [Int] {
            standing.sweep(values, bounds, adjust)
        }
        let window = standing.window ?? 0
        switch standing.screen {
        case .price(let bounds): return sweep(bounds, sight.prices) { $0 }
        case .fallingPrice(let bounds): return sweep(bounds, sight.prices) { -$0 }
        case .corridor(let low, let high, let bounds):
            return sweep(bounds, sight.prices) { max(low - $0, $0 - high) }
        case .rise(let bounds): return sweep(bounds, sight.windows.rise[window]) { $0 }
        case .fall(let bounds): return sweep(bounds, sight.windows.fall[window]) { $0 }
        case .move(let bounds): return sweep(bounds, sight.windows.move[window]) { $0 }
        case .newHigh(let bounds): return sweep(bounds, sight.windows.fall[window]) { -$0 }
        case .newLow(let bounds): return sweep(bounds, sight.windows.rise[window]) { -$0 }
        case .data: return []
        }
    }

    /// Puts one alert to the exact decision.
    mutating func decide(
        _ index: Int, _ market: Int, _ board: MarketBoard, at moment: Moment, into changes: inout Changes
    ) {
        let place = markets.places[market]
        guard place >= 0 else { return }
        let entry = board.entries[place]
        let observation = observe(index, market, entry, at: moment)
        decide(index, market, entry, seeing: observation, at: moment, into: &changes)
    }

    mutating func decide(
        _ index: Int, _ market: Int, _ entry: MarketBoard.Entry?, seeing observation: Observation, at moment: Moment,
        into changes: inout Changes
    ) {
        let place = AlertPlace(rule: index, market: market)
        let rule = rules[index]
        let before = alerts[place]
        var alert = before ?? Alert(condition: rule.condition.description)
        let lane = entry?.lane ?? rule.scope.lane ?? .shared
        let verdict = Engine.evaluate(
            rule, from: alert.state, seeing: observation, longestStep: moment[lane].longestStep, now: moment.now)
        let origin = alert.state
        alert.state = verdict.state
        if let kind = verdict.reason.announcement {
            announce(
                kind, verdict.reason, of: &alert, from: origin, key(of: place), rule, entry, observation, at: moment,
                into: &changes)
        }
        guard alert != before ?? Alert(condition: rule.condition.description) else { return }
        keep(alert, at: place, into: &changes)
    }

    mutating func keep(_ alert: Alert, at place: AlertPlace, into changes: inout Changes) {
        alerts[place] = alert
        standings[place.rule].phases[place.market] = RuleStanding.Phase(alert.state).rawValue
        changes.alerts.append((key(of: place), alert))
    }

    private func observe(
        _ index: Int, _ market: Int, _ entry: MarketBoard.Entry, at moment: Moment
    ) -> Observation {
        guard entry.state(at: moment.now) == .fresh, let price = entry.shown?.price else { return .unknown(.noPrice) }
        guard let window = standings[index].window else { return .price(price, among: nil) }
        guard sight.windows.isCovered(market, window: window, now: moment.now.milliseconds) else {
            return .unknown(.notCovered)
        }
        return .price(price, among: sight.windows.range(of: market, window: window))
    }
}

// MARK: Conditions on the data

extension AlertBook {
    private mutating func judgeData(
        _ index: Int, _ board: MarketBoard, at moment: Moment, into changes: inout Changes
    ) {
        let rule = rules[index]
        if let lane = rule.scope.lane {
            guard let feed = standings[index].scope?.first else { return }
            let silence = moment[lane].lastUsableAnswer.map { since in
                // Where the quota lets the feed be asked less often than configured, so much is no silence yet.
                let age = moment.age(of: since)
                return Observation.silence(age < moment[lane].longestStep ? .zero : age)
            }
            return decide(
                index, feed, nil, seeing: silence ?? .unknown(.noPrice), at: moment, into: &changes)
        }
        for market in standings[index].scope ?? markets.onBoard where markets.places[market] >= 0 {
            let entry = board.entries[markets.places[market]]
            // Of a market that nobody asks for, no data can be expected.
            guard moment.lanes[entry.lane] != nil else { continue }
            guard let observation = rule.condition.observe(entry, at: moment) else { continue }
            if standings[index].phases[market] == RuleStanding.Phase.inactive.rawValue,
                rule.condition.isMet(by: observation) != true
            {
                continue
            }
            decide(index, market, entry, seeing: observation, at: moment, into: &changes)
        }
    }
}

extension AlertRule.Condition {
    /// What there is to say about the age of a market's data; nil: nothing now.
    fileprivate func observe(_ entry: MarketBoard.Entry, at moment: AlertBook.Moment) -> Observation? {
        switch self {
        case .stale:
            // A market without any price so far is as old as the last answer that should have held it.
            let since = entry.newest?.quotedAt ?? entry.watchedSince
            return since.map { .silence(max(.zero, moment.age(of: $0))) }
        case .marketStale:
            guard case .known = entry.standing, let newest = entry.newest else { return nil }
            return .silence(moment.age(of: newest.quotedAt) - entry.staleAfter)
        case .marketMissing: return moment[entry.lane].answered ? .misses(entry.missedAnswers) : nil
        default: return nil
        }
    }
}

// MARK: The sweep

extension RuleStanding {
    /// The markets whose alert may change, given what their values are.
    ///
    /// Most alerts are inactive and stay so, or fire and have nothing new to say: these are passed over here.
    @inline(__always)
    func sweep(_ values: [Double], _ bounds: Screen.Bounds, _ adjust: (Double) -> Double) -> [Int] {
        var found: [Int] = []
        let (clearlyNot, clearly) = (bounds.clearlyNot, bounds.clearly)
        let quiet = isQuietWhileFiring
        values.withUnsafeBufferPointer { values in
            phases.withUnsafeBufferPointer { phases in
                @inline(__always) func look(_ market: Int) {
                    let value = adjust(values[market])
                    switch phases[market] {
                    case 0:  // inactive
                        if value >= clearlyNot { found.append(market) }
                    case 2 where quiet:  // firing
                        if value <= clearly { found.append(market) }
                    case 4 where isRestingForGood: break
                    default:
                        if !value.isNaN { found.append(market) }
                    }
                }
                if let scope {
                    for market in scope { look(market) }
                } else {
                    for market in 0..<min(values.count, phases.count) { look(market) }
                }
            }
        }
        return found
    }
}
