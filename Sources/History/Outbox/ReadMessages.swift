import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// All that waits to be sent, in the order in which it was queued.
    public func queuedMessages() throws(HistoryError) -> [QueuedMessage] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM message ORDER BY id").map { row in
                let events = try AlertEvent.of(message: try row.value("message.id"), db)
                return try QueuedMessage(row, events: events.map(QueuedMessage.Event.init))
            }
        }
    }

    /// What that message says; nil where there is none of this id.
    public func contents(ofMessage id: String) throws(HistoryError) -> OutgoingMessage.Contents? {
        try read { db in
            let find = try db.cachedStatement(sql: "SELECT id, note FROM message WHERE message_id = ?")
            guard let row = try Row.fetchOne(find, arguments: [id]) else { return nil }
            return OutgoingMessage.Contents(
                events: try AlertEvent.of(message: try row.value("message.id"), db),
                note: try row.value("message.note"))
        }
    }

    public func outboxSize() throws(HistoryError) -> OutboxSize {
        try read { db in
            OutboxSize(
                queued: try db.value("message", "SELECT count(*) FROM message") ?? 0,
                oldest: try db.value(
                    "message.created_at", "SELECT min(created_at) FROM message", as: Date?.self) ?? nil)
        }
    }

    /// The channels that know of an alert that it fires.
    public func toldChannels() throws(HistoryError) -> [AlertKey: [String]] {
        try read { db in
            var told: [AlertKey: [String]] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT rule, market, channel FROM told")
            while let row = try rows.next() {
                let key = AlertKey(rule: try row.value("told.rule"), market: try row.value("told.market"))
                told[key, default: []].append(try row.value("told.channel"))
            }
            return told
        }
    }
}

extension QueuedMessage {
    /// - Parameter row: of the table `message`.
    init(_ row: Row, events: [Event]) throws {
        self.init(
            id: try row.value("message.message_id"), channel: try row.value("message.channel"),
            createdAt: try row.value("message.created_at"), events: events,
            isNote: try row.value("message.note", as: Data?.self) != nil, isHeld: try row.value("message.held"),
            attempts: try row.value("message.attempts"), notBefore: try row.value("message.not_before"),
            lastError: try row.value("message.last_error"))
    }
}

extension AlertEvent {
    /// What a message is about, in the order in which it happened.
    fileprivate static func of(message: Int64, _ db: Database) throws -> [AlertEvent] {
        let events = try db.cachedStatement(
            sql: """
                SELECT event.* FROM message_event JOIN event ON event.id = message_event.event
                WHERE message_event.message = ? ORDER BY event.id
                """)
        return try Row.fetchAll(events, arguments: [message]).map(AlertEvent.init)
    }
}
