import Engine
import Markets

/// The events behind the alerts that are pending or firing now.
struct StandingAlerts {
    private var events: [AlertKey: AlertEvent]

    init(_ events: [AlertEvent]) {
        self.events = Dictionary(events.map { ($0.key, $0) }, uniquingKeysWith: { _, newer in newer })
    }

    mutating func take(_ changes: AlertBook.Changes) {
        for event in changes.events { events[event.key] = event }
        // An edited rule's alert may end and begin anew in one poll.
        let last = Dictionary(changes.alerts, uniquingKeysWith: { _, later in later })
        for (key, alert) in last where alert.state.since == nil { events[key] = nil }
    }

    var firing: [AlertEvent] { inOrder { $0.kind == .firing || $0.kind == .reminder } }
    var pending: [AlertEvent] { inOrder { $0.kind == .pending } }

    private func inOrder(_ belongs: (AlertEvent) -> Bool) -> [AlertEvent] {
        events.values.filter(belongs).sorted { ($0.rule, $0.market) < ($1.rule, $1.market) }
    }
}
