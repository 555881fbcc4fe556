import Foundation
import Markets

extension AlertBook {
    /// Adds the event of a change to an alert that is still in its state before the change.
    ///
    /// - Parameters:
    ///   - rule: nil if it was removed.
    ///   - observation: shown in the event; nothing is decided by it.
    func announce(
        _ reason: AlertReason, of alert: inout Alert, _ key: AlertKey, _ rule: AlertRule?,
        _ observation: Observation?, _ evaluation: inout Evaluation
    ) {
        alert.announcements += 1
        let (context, side) = (evaluation.context, alert.state.side)
        // A rule about feeds has the name of a feed in place of a market.
        let entry = rule?.scope.source == nil ? evaluation.board[key.market] : nil
        let shown = entry?.shown(at: context.now)
        alert.currency = entry?.currency ?? alert.currency
        // After an edit the rule's condition is not the one that ended.
        let condition = reason == .edited ? nil : rule?.condition
        let late = context.lateness(
            of: reason, condition, key.market, entry, in: entry?.source ?? rule?.scope.source ?? .shared)
        evaluation.changes.events.append(
            AlertEvent(
                id: AlertEvent.id(
                    installation: identity.installation, key: key, condition: alert.condition,
                    announcement: alert.announcements),
                kind: reason.announcement, reason: reason, rule: key.rule, market: key.market,
                symbol: entry?.symbol ?? "",
                name: entry?.name ?? "", currency: alert.currency ?? identity.currency,
                severity: rule?.severity ?? .warning,
                note: rule?.note, condition: alert.condition, price: shown?.price,
                threshold: observation.flatMap { condition?.threshold(for: $0, onSide: side) },
                changePercent: observation.flatMap { condition?.change(in: $0, onSide: side) }, at: context.now,
                quotedAt: shown?.quotedAt, since: alert.state.since ?? context.now, lateSeconds: late,
                silencedUntil: silences.end(for: key, at: context.now), feed: shown?.feed,
                host: identity.host))
    }

    /// Announces each alert that still fires when its silence ends.
    mutating func endSilences(_ evaluation: inout Evaluation) {
        let now = evaluation.context.now
        let ended = silences.filter { $0.until <= now }
        guard !ended.isEmpty else { return }
        silences.removeAll { $0.until <= now }
        evaluation.changes.endedSilences = ended.map(\.id)
        let announced = Set(evaluation.changes.events.map(\.key))
        for rule in rules.indices {
            for market in inOrder(alerts[rule].keys) {
                let key = key(rule, market)
                guard var alert = alerts[rule][market], case .firing(var firing) = alert.state,
                    !announced.contains(key), ended.contains(where: { $0.covers(key) }),
                    silences.end(for: key, at: now) == nil
                else { continue }
                let price = evaluation.board[key.market]?.shown(at: now)?.price
                let range = scopes[rule].window.flatMap { windows.range(of: market, window: $0) }
                announce(
                    .silenceEnded, of: &alert, key, rules[rule], price.map { .price($0, among: range) }, &evaluation)
                firing.lastNotified = now
                firing.notifiedPrice = price ?? firing.notifiedPrice
                alert.state = .firing(firing)
                keep(alert, rule, market, &evaluation)
            }
        }
    }

    mutating func keep(_ alert: Alert, _ rule: Int, _ market: Int, _ evaluation: inout Evaluation) {
        alerts[rule][market] = alert
        evaluation.changes.alerts.append((key(rule, market), alert))
    }
}

// MARK: Alerts whose rule or market is gone

extension AlertBook {
    /// Assigns the alerts from the history to rules and markets, once. Resolves those without one.
    mutating func assignRemembered(_ evaluation: inout Evaluation) {
        guard !remembered.isEmpty else { return }
        let named = Dictionary(grouping: rules.indices) { rules[$0].name }
        // With several sources, the rule about feeds exists once for each.
        func index(_ key: AlertKey) -> Int? {
            named[key.rule]?.first { rules[$0].scope.covers(key.market) } ?? named[key.rule]?.first
        }
        let inOrder = remembered.map { (index: index($0.key), key: $0.key, alert: $0.value) }
            .sorted { ($0.index ?? .max, $0.key.rule, $0.key.market) < ($1.index ?? .max, $1.key.rule, $1.key.market) }
        for (index, key, before) in inOrder {
            var alert = before
            let rule = index.map { rules[$0] }
            let market = rule?.scope.covers(key.market) == true ? markets.known(key.market) : nil
            if let reason = reasonToEnd(alert, rule, market, on: evaluation.board) {
                end(&alert, key, rule, reason, &evaluation)
                if reason == .edited, let rule { alert.condition = rule.condition }
                if alert.state != .latched || reason == .edited { alert.state = .inactive }
            }
            if alert != before { evaluation.changes.alerts.append((key, alert)) }
            if let index, let market { alerts[index][market] = alert } else { orphaned[key] = alert }
        }
        remembered = [:]
    }

    /// Why an alert from the history does not go on; nil if it does.
    private func reasonToEnd(
        _ alert: Alert, _ rule: AlertRule?, _ market: Int?, on board: MarketBoard
    ) -> AlertReason? {
        guard let rule else { return .removed }
        guard let market, rule.enabled else { return rule.enabled ? .removed : .disabled }
        if rule.condition != alert.condition { return .edited }
        guard rule.scope.source == nil else { return nil }
        guard let place = markets.places[market] else { return .unwatched }
        // A level in another currency is another condition.
        let isSameCurrency = alert.currency.map { $0 == board.entries[place].currency } ?? true
        return isSameCurrency || rule.condition.isAboutData ? nil : .edited
    }

    /// Resolves an alert whose market left the board, or whose rule expired.
    mutating func retire(_ rule: Int, _ market: Int, _ reason: AlertReason, _ evaluation: inout Evaluation) {
        guard var alert = alerts[rule][market], alert.state.since != nil else { return }
        end(&alert, key(rule, market), rules[rule], reason, &evaluation)
        alert.state = .inactive
        keep(alert, rule, market, &evaluation)
    }

    func end(
        _ alert: inout Alert, _ key: AlertKey, _ rule: AlertRule?, _ reason: AlertReason,
        _ evaluation: inout Evaluation
    ) {
        guard alert.state.isFiring else { return }
        let price = evaluation.board[key.market]?.shown(at: evaluation.context.now)?.price
        announce(reason, of: &alert, key, rule, price.map { .price($0, among: nil) }, &evaluation)
    }
}
