import Foundation
import Markets

extension AlertBook {
    mutating func announce(
        _ kind: AlertEvent.Kind, _ reason: AlertReason, of alert: inout Alert, from before: AlertState,
        _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?, _ observation: Observation?,
        at moment: Context, into changes: inout Changes
    ) {
        alert.announcements += 1
        // After an edit the rule's condition is not the one that ended.
        let condition = reason == .edited ? nil : rule?.condition
        let late = moment.lateness(
            of: reason, condition, key.market, entry, in: entry?.source ?? rule?.scope.source ?? .shared)
        changes.events.append(
            AlertEvent(
                id: AlertEvent.id(
                    installation: identity.installation, key: key, condition: alert.condition,
                    announcement: alert.announcements),
                kind: kind, reason: reason, rule: key.rule, market: key.market, symbol: entry?.symbol ?? "",
                name: entry?.name ?? "", currency: identity.currency, severity: rule?.severity ?? .warning,
                note: rule?.note, condition: alert.condition, price: entry?.shown?.price,
                threshold: observation.flatMap { condition?.threshold(for: $0, onSide: before.side) },
                changePercent: observation.flatMap { condition?.change(in: $0, onSide: before.side) }, at: moment.now,
                quotedAt: entry?.shown?.quotedAt, since: before.since ?? moment.now, lateSeconds: late,
                silencedUntil: silences.end(for: key, at: moment.now), feed: entry?.shown?.feed, host: identity.host))
    }

    /// Announces each alert that still fires when its silence ends.
    mutating func endSilences(_ board: MarketBoard, at moment: Context, into changes: inout Changes) {
        let ended = silences.filter { $0.until <= moment.now }
        guard !ended.isEmpty else { return }
        silences.removeAll { $0.until <= moment.now }
        changes.endedSilences = ended.map(\.id)
        let told = Set(changes.events.map(\.key))
        let firing = alerts.filter { $0.value.state.isFiring }
        for place in inOrder(firing.keys) {
            let key = key(of: place)
            guard var alert = firing[place], case .firing(var firing) = alert.state, !told.contains(key),
                ended.contains(where: { $0.covers(key) }),
                silences.end(for: key, at: moment.now) == nil
            else { continue }
            let entry = board[key.market]
            firing.lastNotified = moment.now
            firing.notifiedPrice = entry?.shown?.price ?? firing.notifiedPrice
            announce(
                .reminder, .silenceEnded, of: &alert, from: alert.state, key, rules[place.rule], entry,
                entry.flatMap { observed($0, place, at: moment) }, at: moment, into: &changes)
            alert.state = .firing(firing)
            keep(alert, at: place, into: &changes)
        }
    }

    /// The price shown in an announcement; nothing is decided by it.
    func observed(_ entry: MarketBoard.Entry, _ place: AlertPlace, at moment: Context) -> Observation? {
        guard let price = entry.shown?.price else { return nil }
        let range = scopes[place.rule].window.flatMap { evaluationPrices.windows.range(of: place.market, window: $0) }
        return .price(price, among: range)
    }
}

extension AlertEvent {
    package var key: AlertKey { AlertKey(rule: rule, market: market) }
}
