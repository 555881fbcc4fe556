import Foundation
import Markets

/// Ends alerts whose rule or market is no longer there.
extension AlertBook {
    /// Gives what the history remembers its place, once. What no longer belongs anywhere is resolved.
    mutating func settle(_ board: MarketBoard, at moment: Moment, into changes: inout Changes) {
        guard !remembered.isEmpty else { return }
        let numbers = Dictionary(grouping: rules.indices) { rules[$0].name }
        for (key, alert) in remembered.sorted(by: { ($0.key.rule, $0.key.market) < ($1.key.rule, $1.key.market) }) {
            // Where several feeds are asked, the rule about feeds stands once for each.
            let index = numbers[key.rule]?.first { rules[$0].scope.covers(key.market) } ?? numbers[key.rule]?.first
            let market = index.flatMap { rules[$0].scope.covers(key.market) ? markets.known(key.market) : nil }
            let entry = board[key.market]
            let isThere = market.map { markets.places[$0] >= 0 || isFeed(index) } ?? false
            let reason: AlertReason? =
                switch index {
                case let index? where market == nil || !rules[index].enabled:
                    rules[index].enabled ? .removed : .disabled
                case let index? where rules[index].condition.description != alert.condition: .edited
                case _? where !isThere: .unwatched
                case _?: nil
                case nil: .removed
                }
            var alert = alert
            if let reason {
                announceEnd(of: &alert, key, index.map { rules[$0] }, entry, reason, at: moment, into: &changes)
                if reason == .edited, let index { alert.condition = rules[index].condition.description }
                if alert.state != .resting || reason == .edited { alert.state = .inactive }
            }
            guard let index, let market else {
                homeless[key] = alert
                if reason != nil, alert != remembered[key] { changes.alerts.append((key, alert)) }
                continue
            }
            let place = AlertPlace(rule: index, market: market)
            alerts[place] = alert
            standings[index].phases[market] = RuleStanding.Phase(alert.state).rawValue
            if alert != remembered[key] { changes.alerts.append((key, alert)) }
        }
        remembered = [:]
    }

    private func isFeed(_ rule: Int?) -> Bool {
        guard let rule, case .feed = rules[rule].scope else { return false }
        return true
    }

    /// Markets that have left the board.
    mutating func retire(
        _ left: [Int], _ board: MarketBoard, at moment: Moment, into changes: inout Changes
    ) {
        for index in standings.indices {
            for market in left where standings[index].phases[market] != 0 {
                retire(AlertPlace(rule: index, market: market), .unwatched, board, at: moment, into: &changes)
            }
        }
    }

    /// Lets rules that were to fire once fire once more.
    public mutating func forgetRests() {
        for (place, alert) in alerts where alert.state == .resting {
            alerts[place]?.state = .inactive
            standings[place.rule].phases[place.market] = RuleStanding.Phase(.inactive).rawValue
        }
    }

    /// All alerts of a rule.
    mutating func retire(
        rule index: Int, _ reason: AlertReason, _ board: MarketBoard, at moment: Moment, into changes: inout Changes
    ) {
        for market in markets.ids.indices where standings[index].phases[market] != 0 {
            retire(AlertPlace(rule: index, market: market), reason, board, at: moment, into: &changes)
        }
    }

    private mutating func retire(
        _ place: AlertPlace, _ reason: AlertReason, _ board: MarketBoard, at moment: Moment,
        into changes: inout Changes
    ) {
        guard var alert = alerts[place], alert.state != .resting else { return }
        let key = key(of: place)
        announceEnd(of: &alert, key, rules[place.rule], board[key.market], reason, at: moment, into: &changes)
        alert.state = .inactive
        keep(alert, at: place, into: &changes)
    }

    private mutating func announceEnd(
        of alert: inout Alert, _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?,
        _ reason: AlertReason, at moment: Moment, into changes: inout Changes
    ) {
        guard alert.state.isFiring else { return }
        let observation = entry?.shown.map { Observation.price($0.price, among: nil) }
        announce(
            .resolved, reason, of: &alert, from: alert.state, key, rule, entry, observation, at: moment,
            into: &changes)
    }
}
