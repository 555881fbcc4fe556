import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// All queued messages, in queue order.
    package func queuedMessages() throws(HistoryError) -> [QueuedMessage] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY id").map { row in
                let events = try AlertEvent.of(message: try row.value("message.id"), db)
                return try QueuedMessage(row, events: events.map(QueuedMessage.Event.init))
            }
        }
    }

    /// The contents of a message; nil if there is no such id, or its note cannot be decoded.
    package func contents(ofMessage id: String) throws(HistoryError) -> OutgoingMessage.Contents? {
        try read { db in
            let find = try db.cachedStatement(sql: "SELECT id, note FROM message WHERE message_id = ?")
            guard let row = try Row.fetchOne(find, arguments: [id]) else { return nil }
            let events = try AlertEvent.of(message: try row.value("message.id"), db)
            guard let encoded = try row.value("message.note", as: Data?.self) else {
                return OutgoingMessage.Contents(events: events)
            }
            guard var note = try? JSONDecoder().decode(Note.self, from: encoded) else { return nil }
            note.events = events
            return OutgoingMessage.Contents(events: events, note: note)
        }
    }

    package func outboxSize() throws(HistoryError) -> OutboxSize {
        try read { db in
            OutboxSize(
                queued: try db.value("message", "SELECT count(*) FROM message") ?? 0,
                oldest: try db.value(
                    "message.created_at", "SELECT min(created_at) FROM message", as: Date?.self) ?? nil)
        }
    }

    /// The channels that were notified that an alert fires.
    package func notifiedChannels() throws(HistoryError) -> [AlertKey: [String]] {
        try read { db in
            var notified: [AlertKey: [String]] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT rule, market, channel FROM told")
            while let row = try rows.next() {
                let key = AlertKey(rule: try row.value("told.rule"), market: try row.value("told.market"))
                notified[key, default: []].append(try row.value("told.channel"))
            }
            return notified
        }
    }
}

extension AlertEvent {
    /// The events of a message, in the order in which they happened.
    fileprivate static func of(message: Int64, _ db: Database) throws -> [AlertEvent] {
        let events = try db.cachedStatement(
            sql: """
                SELECT event.* FROM message_event JOIN event ON event.id = message_event.event
                WHERE message_event.message = ? ORDER BY event.id
                """)
        return try Row.fetchAll(events, arguments: [message]).map(AlertEvent.init)
    }
}
