import Engine
import Foundation
import Markets

/// What a turn leaves behind of alerts.
public struct AlertRecord: Sendable {
    public var alerts: [AlertKey: Alert]
    public var events: [AlertEvent]
    /// Events of earlier turns that have reached the log since.
    public var logged: [String]
    /// Silences that were told to have ended, and when that was seen: one that was prolonged meanwhile stays.
    public var endedSilences: [(id: Int64, at: Date)]
    /// What is to be sent.
    public var messages: [OutgoingMessage]
    /// Messages that wait no longer, by their ids.
    public var settled: [String]
    /// The channels that know that an alert fires, where that changed; none where it no longer does.
    public var told: [AlertKey: [String]]
    /// The moment of the day whose summary is among the messages; nil where none is.
    public var digest: Date?

    public init(
        alerts: [AlertKey: Alert] = [:], events: [AlertEvent] = [], logged: [String] = [],
        endedSilences: [(id: Int64, at: Date)] = [], messages: [OutgoingMessage] = [], settled: [String] = [],
        told: [AlertKey: [String]] = [:], digest: Date? = nil
    ) {
        self.alerts = alerts
        self.events = events
        self.logged = logged
        self.endedSilences = endedSilences
        self.messages = messages
        self.settled = settled
        self.told = told
        self.digest = digest
    }
}
