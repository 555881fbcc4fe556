import Engine
import GRDB
import Markets

/// What is written of messages with a poll, in its transaction.
extension HistoryWriter {
    /// A message whose events were all there before was queued with them, and may have been sent since.
    func queue(_ message: OutgoingMessage, newEvents: Set<String>, _ db: Database) throws {
        let queued = message.queued
        guard queued.events.isEmpty || queued.events.contains(where: { newEvents.contains($0.id) }) else { return }
        guard let row = try insert(queued, db) else { return }
        if let note = message.contents.note {
            try db.execute(sql: "UPDATE message SET note = ? WHERE id = ?", arguments: [note, row])
        }
        let join = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO message_event (message, event) SELECT ?, id FROM event WHERE event_id = ?")
        for event in queued.events { try join.execute(arguments: [row, event.id]) }
    }

    /// The number of the new row; nil where there is one of this id.
    private func insert(_ queued: QueuedMessage, _ db: Database) throws -> Int64? {
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO message (message_id, channel, created_at, held, attempts, not_before, last_error)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        try insert.execute(arguments: [
            queued.id, queued.channel, queued.createdAt.milliseconds, queued.isHeld, queued.attempts,
            queued.notBefore?.milliseconds, queued.lastError,
        ])
        return db.changesCount > 0 ? db.lastInsertedRowID : nil
    }

    func remove(_ message: String, _ db: Database) throws {
        let events = try db.cachedStatement(
            sql: "DELETE FROM message_event WHERE message = (SELECT id FROM message WHERE message_id = ?)")
        try events.execute(arguments: [message])
        let delete = try db.cachedStatement(sql: "DELETE FROM message WHERE message_id = ?")
        try delete.execute(arguments: [message])
    }

    func store(_ channels: [String], toldOf alert: AlertKey, _ db: Database) throws {
        let delete = try db.cachedStatement(sql: "DELETE FROM told WHERE rule = ? AND market = ?")
        try delete.execute(arguments: [alert.rule, alert.market.text])
        let insert = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO told (rule, market, channel) VALUES (?, ?, ?)")
        for channel in channels { try insert.execute(arguments: [alert.rule, alert.market.text, channel]) }
    }
}
