import Foundation
import Markets

extension AlertBook {
    mutating func announce(
        _ kind: AlertEvent.Kind, _ reason: AlertReason, of alert: inout Alert, from before: AlertState,
        _ key: AlertKey, _ rule: AlertRule?, _ entry: MarketBoard.Entry?, _ observation: Observation?,
        at moment: Moment, into changes: inout Changes
    ) {
        alert.announcements += 1
        // After an edit the rule's is another than the one that has ended.
        let condition = reason == .edited ? nil : rule?.condition
        let late = moment.lateness(
            of: reason, condition, key.market, entry, in: entry?.lane ?? rule?.scope.lane ?? .shared)
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

    /// One message for each alert that still fires when its silence ends.
    mutating func endSilences(_ board: MarketBoard, at moment: Moment, into changes: inout Changes) {
        let ended = silences.filter { $0.until <= moment.now }
        guard !ended.isEmpty else { return }
        silences.removeAll { $0.until <= moment.now }
        changes.endedSilences = ended.map(\.id)
        let told = Set(changes.events.map(\.key))
        for (place, alert) in alerts.sorted(by: { $0.key < $1.key }) {
            let key = key(of: place)
            guard case .firing(var firing) = alert.state, !told.contains(key),
                ended.contains(where: { $0.covers(key) }),
                silences.end(for: key, at: moment.now) == nil
            else { continue }
            var alert = alert
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

    /// What an announcement says of the price, without deciding anything.
    func observed(_ entry: MarketBoard.Entry, _ place: AlertPlace, at moment: Moment) -> Observation? {
        guard let price = entry.shown?.price else { return nil }
        let range = standings[place.rule].window.flatMap { sight.windows.range(of: place.market, window: $0) }
        return .price(price, among: range)
    }
}

extension AlertEvent {
    public var key: AlertKey { AlertKey(rule: rule, market: market) }
}
