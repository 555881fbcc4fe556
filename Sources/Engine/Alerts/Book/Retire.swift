import Foundation
import Markets

/// Resolves alerts whose rule or market is gone.
extension AlertBook {
    /// Assigns the alerts from the history to rules and markets, once. Resolves those without one.
    mutating func settle(_ board: MarketBoard, at moment: Context, into changes: inout Changes) {
        guard !remembered.isEmpty else { return }
        let numbers = Dictionary(grouping: rules.indices) { rules[$0].name }
        // With several sources, the rule about feeds exists once for each.
        func index(_ key: AlertKey) -> Int? {
            let named = numbers[key.rule]
            return named?.first { rules[$0].scope.covers(key.market) } ?? named?.first
        }
        let inOrder = remembered.map { (place: index($0.key) ?? Int.max, key: $0.key, alert: $0.value) }
            .sorted { ($0.place, $0.key.rule, $0.key.market) < ($1.place, $1.key.rule, $1.key.market) }
        for (place, key, alert) in inOrder {
            let index = place == .max ? nil : place
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
                if alert.state != .latched || reason == .edited { alert.state = .inactive }
            }
            guard let index, let market else {
                orphaned[key] = alert
                if reason != nil, alert != remembered[key] { changes.alerts.append((key, alert)) }
                continue
            }
            let place = AlertPlace(rule: index, market: market)
            alerts[place] = alert
            if alert != remembered[key] { changes.alerts.append((key, alert)) }
        }
        remembered = [:]
    }

    private func isFeed(_ rule: Int?) -> Bool {
        guard let rule, case .feed = rules[rule].scope else { return false }
        return true
    }

    /// Resolves the alerts of markets that have left the board.
    mutating func retire(
        _ left: [Int], _ board: MarketBoard, at moment: Context, into changes: inout Changes
    ) {
        let left = Set(left)
        for place in inOrder(alerts.keys.filter { left.contains($0.market) }) {
            retire(place, .unwatched, board, at: moment, into: &changes)
        }
    }

    /// Resets latched `once` rules.
    package mutating func forgetLatched() {
        for (place, alert) in alerts where alert.state == .latched {
            alerts[place]?.state = .inactive
        }
    }

    /// Resolves all alerts of a rule.
    mutating func retire(
        rule index: Int, _ reason: AlertReason, _ board: MarketBoard, at moment: Context, into changes: inout Changes
    ) {
        for place in inOrder(alerts.keys.filter { $0.rule == index }) {
            retire(place, reason, board, at: moment, into: &changes)
        }
    }

    private mutating func retire(
        _ place: AlertPlace, _ reason: AlertReason, _ board: MarketBoard, at moment: Context,
        into changes: inout Changes
    ) {
        guard var alert = alerts[place], alert.state != .latched, alert.state != .inactive else { return }
        let key = key(of: place)
        announceEnd(of: &alert, key, rules[place.rule], board[key.market], reason, at: moment, into: &changes)
        alert.state = .inactive
        keep(alert, at: place, into: &changes)
    }

    private mutating func announceEnd(
        of alert: inout Alert, _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?,
        _ reason: AlertReason, at moment: Context, into changes: inout Changes
    ) {
        guard alert.state.isFiring else { return }
        let observation = entry?.shown.map { Observation.price($0.price, among: nil) }
        announce(
            .resolved, reason, of: &alert, from: alert.state, key, rule, entry, observation, at: moment,
            into: &changes)
    }
}
