public import Foundation
public import Markets

/// What a turn leaves behind of alerts.
public struct AlertRecord: Sendable {
    public var alerts: [AlertKey: Alert]
    public var events: [AlertEvent]
    /// Events of earlier turns that have reached the log since.
    public var logged: [String]
    /// Silences that were told to have ended, and when that was seen: one that was prolonged meanwhile stays.
    public var endedSilences: [(id: Int64, at: Date)]

    public init(
        alerts: [AlertKey: Alert] = [:], events: [AlertEvent] = [], logged: [String] = [],
        endedSilences: [(id: Int64, at: Date)] = []
    ) {
        self.alerts = alerts
        self.events = events
        self.logged = logged
        self.endedSilences = endedSilences
    }

    public var isEmpty: Bool { alerts.isEmpty && events.isEmpty && endedSilences.isEmpty }
}
