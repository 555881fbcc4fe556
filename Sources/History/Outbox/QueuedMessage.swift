import Engine
import Foundation
import Markets

/// What must be known of a message while it waits: its contents stay in the database until it is sent.
public struct QueuedMessage: Hashable, Sendable {
    /// Follows from channel and events; the `Idempotency-Key`.
    public var id: String
    /// By its name in the configuration.
    public var channel: String
    /// From when its age counts.
    public var createdAt: Date
    /// What it tells of, in the order in which that happened; none in a note.
    public var events: [Event]
    public var isNote: Bool
    /// Waits for the end of quiet hours, to be told together with the others that do.
    public var isHeld: Bool
    /// Deliveries that were tried in vain.
    public var attempts: Int
    /// Nil: at once.
    public var notBefore: Date?
    /// Why the last delivery was in vain.
    public var lastError: String?

    public struct Event: Hashable, Sendable {
        public var id: String
        public var alert: AlertKey
        public var isCritical: Bool

        public init(id: String, alert: AlertKey, isCritical: Bool) {
            self.id = id
            self.alert = alert
            self.isCritical = isCritical
        }

        public init(_ event: AlertEvent) {
            self.init(id: event.id, alert: event.key, isCritical: event.severity == .critical)
        }
    }

    public init(
        id: String, channel: String, createdAt: Date, events: [Event], isNote: Bool = false, isHeld: Bool = false,
        attempts: Int = 0, notBefore: Date? = nil, lastError: String? = nil
    ) {
        self.id = id
        self.channel = channel
        self.createdAt = createdAt
        self.events = events
        self.isNote = isNote
        self.isHeld = isHeld
        self.attempts = attempts
        self.notBefore = notBefore
        self.lastError = lastError
    }

    public var isCritical: Bool { events.contains(where: \.isCritical) }
}

/// A message with all that it says.
public struct OutgoingMessage: Hashable, Sendable {
    public var queued: QueuedMessage
    public var contents: Contents

    public struct Contents: Hashable, Sendable {
        public var events: [AlertEvent]
        /// What is said beside them, in words of the sender's own.
        public var note: Data?

        public init(events: [AlertEvent], note: Data? = nil) {
            self.events = events
            self.note = note
        }
    }

    public init(
        id: String, channel: String, createdAt: Date, events: [AlertEvent], note: Data? = nil, isHeld: Bool = false
    ) {
        queued = QueuedMessage(
            id: id, channel: channel, createdAt: createdAt, events: events.map(QueuedMessage.Event.init),
            isNote: note != nil, isHeld: isHeld)
        contents = Contents(events: events, note: note)
    }
}

/// How much waits to be sent.
public struct OutboxSize: Hashable, Sendable {
    public var queued: Int
    /// When the oldest of it was created; nil: nothing waits.
    public var oldest: Date?

    public init(queued: Int, oldest: Date?) {
        self.queued = queued
        self.oldest = oldest
    }
}
