import Foundation
import Markets

/// What the queue holds of a message; its contents stay in the database until it is sent.
package struct QueuedMessage: Hashable, Sendable {
    /// Derived from channel and events, the same however often they are announced; sent as the `Idempotency-Key`.
    package var id: String
    /// By its name in the configuration.
    package var channel: String
    /// Its age counts from this time.
    package var createdAt: Date
    /// The events that it reports, oldest first.
    package var events: [Event]
    package var isNote = false
    /// Held until quiet hours end, then joined with the other held messages.
    package var isHeld = false
    /// Failed deliveries.
    package var attempts = 0
    /// The earliest time of the next attempt; nil: now.
    package var notBefore: Date?
    /// Why the last delivery failed.
    package var lastError: String?

    package struct Event: Hashable, Sendable {
        package var id: String
        package var alert: AlertKey
        package var isCritical: Bool
    }

    package var isCritical: Bool { events.contains(where: \.isCritical) }
}

extension QueuedMessage {
    package init(id: String, channel: String, createdAt: Date, events: [Event]) {
        self.init(id: id, channel: channel, createdAt: createdAt, events: events, isNote: false)
    }
}

extension QueuedMessage.Event {
    package init(_ event: AlertEvent) {
        self.init(id: event.id, alert: event.key, isCritical: event.severity == .critical)
    }
}

/// A message with its contents.
package struct OutgoingMessage: Hashable, Sendable {
    package var queued: QueuedMessage
    package var contents: Contents

    package struct Contents: Hashable, Sendable {
        package var events: [AlertEvent]
        package var note: Note?

        package init(events: [AlertEvent], note: Note? = nil) {
            self.events = events
            self.note = note
        }

        mutating func add(_ other: Contents) {
            events += other.events
            note = other.note ?? note
        }
    }

    package init(
        id: String, channel: String, createdAt: Date, events: [AlertEvent], note: Note? = nil, isHeld: Bool = false
    ) {
        queued = QueuedMessage(
            id: id, channel: channel, createdAt: createdAt, events: events.map(QueuedMessage.Event.init),
            isNote: note != nil, isHeld: isHeld)
        contents = Contents(events: events, note: note)
    }
}

/// The number and age of queued messages.
package struct OutboxSize: Hashable, Sendable {
    package var queued: Int
    /// When the oldest was created; nil: the queue is empty.
    package var oldest: Date?
    /// The queued messages that wait for the end of their channel's quiet hours, in the order of the configuration.
    package var held: [Held] = []

    package struct Held: Hashable, Sendable {
        package var channel: String
        package var count: Int
        /// Nil: nothing holds them any more, or only the history is known.
        package var until: Date?

        package init(channel: String, count: Int, until: Date?) {
            self.channel = channel
            self.count = count
            self.until = until
        }
    }

    package init(queued: Int, oldest: Date?) {
        self.queued = queued
        self.oldest = oldest
    }
}
