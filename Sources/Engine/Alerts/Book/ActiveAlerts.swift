import Foundation
import Markets

/// The events behind the alerts that are pending or firing now, or resolved not long ago.
package struct ActiveAlerts: Sendable {
    private var events: [AlertKey: AlertEvent]
    /// The resolves of alerts that do not fire again.
    private var ends: [AlertKey: AlertEvent]
    private var conditionsOfDormant: [AlertKey: AlertRule.Condition] = [:]

    /// For how long a resolved alert is remembered.
    package static let endsKept = Duration.minutes(15)

    /// - Parameters:
    ///   - alerts: of any state; the dormant ones are taken.
    ///   - ends: the resolves of the last `endsKept`, oldest first.
    package init(_ events: [AlertEvent], _ alerts: [AlertKey: Alert] = [:], ends: [AlertEvent] = []) {
        self.events = Dictionary(events.map { ($0.key, $0) }, uniquingKeysWith: { _, newer in newer })
        self.ends = Dictionary(ends.map { ($0.key, $0) }, uniquingKeysWith: { _, newer in newer })
        for event in firing { self.ends[event.key] = nil }
        follow(alerts)
    }

    mutating func update(with changes: AlertBook.Changes, at now: Date) {
        ends = ends.filter { now.since($0.value.at) < Self.endsKept }
        for event in changes.events {
            events[event.key] = event
            switch event.kind {
            case .resolved: ends[event.key] = event
            case .firing, .reminder: ends[event.key] = nil
            case .pending: break
            }
        }
        // An edited rule's alert may end and start again in one poll.
        let last = Dictionary(changes.alerts, uniquingKeysWith: { _, later in later })
        for (key, alert) in last where alert.state.since == nil { events[key] = nil }
        follow(last)
    }

    private mutating func follow(_ alerts: [AlertKey: Alert]) {
        for (key, alert) in alerts { conditionsOfDormant[key] = alert.state == .dormant ? alert.condition : nil }
    }

    package var dormant: [DormantAlert] {
        conditionsOfDormant.map { DormantAlert(rule: $0.rule, market: $0.market, condition: $1) }
            .sorted { ($0.rule, $0.market) < ($1.rule, $1.market) }
    }

    /// The alerts that were resolved in the last `endsKept` before `now`.
    func resolved(at now: Date) -> [AlertEvent] {
        Self.inOrder(ends.values.filter { now.since($0.at) < Self.endsKept })
    }

    package var firing: [AlertEvent] { inOrder { $0.kind == .firing || $0.kind == .reminder } }
    package var pending: [AlertEvent] { inOrder { $0.kind == .pending } }

    private func inOrder(_ belongs: (AlertEvent) -> Bool) -> [AlertEvent] {
        Self.inOrder(events.values.filter(belongs))
    }

    private static func inOrder(_ events: [AlertEvent]) -> [AlertEvent] {
        events.sorted { ($0.rule, $0.market) < ($1.rule, $1.market) }
    }
}

/// A level that holds only since the amounts of its portfolio were edited: it fires after it has ended and holds again.
package struct DormantAlert: Hashable, Sendable {
    package var rule: String
    package var market: MarketID
    package var condition: AlertRule.Condition
}
