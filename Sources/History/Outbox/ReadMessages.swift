import Foundation
import GRDB
public import Markets

extension HistoryReader {
    /// All that waits to be sent, in the order in which it was queued.
    public func queuedMessages() throws(HistoryError) -> [QueuedMessage] {
        try read { db in
            var messages: [QueuedMessage] = []
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT message_id, channel, created_at, held, attempts, not_before, last_error,
                           message.note IS NOT NULL AS is_note, event_id, rule, market, severity
                    FROM message
                    LEFT JOIN message_event ON message_event.message = message.id
                    LEFT JOIN event ON event.id = message_event.event
                    ORDER BY message.id, event.id
                    """)
            while let row = try rows.next() {
                let id: String = row["message_id"]
                if messages.last?.id != id { messages.append(QueuedMessage(id, row)) }
                if let event = QueuedMessage.Event(row) { messages[messages.count - 1].events.append(event) }
            }
            return messages
        }
    }

    /// What that message says; nil where there is none of this id.
    public func contents(ofMessage id: String) throws(HistoryError) -> OutgoingMessage.Contents? {
        try read { db in
            let find = try db.cachedStatement(sql: "SELECT id, note FROM message WHERE message_id = ?")
            guard let row = try Row.fetchOne(find, arguments: [id]) else { return nil }
            let events = try db.cachedStatement(
                sql: """
                    SELECT event.* FROM message_event JOIN event ON event.id = message_event.event
                    WHERE message_event.message = ? ORDER BY event.id
                    """)
            return OutgoingMessage.Contents(
                events: try Row.fetchAll(events, arguments: [row["id"] as Int64]).compactMap(AlertEvent.init),
                note: row["note"])
        }
    }

    public func outboxSize() throws(HistoryError) -> OutboxSize {
        try read { db in
            let row = try Row.fetchOne(db, sql: "SELECT count(*) AS queued, min(created_at) AS oldest FROM message")
            return OutboxSize(
                queued: row?["queued"] ?? 0, oldest: (row?["oldest"] as Int64?).map(Date.init(milliseconds:)))
        }
    }

    /// The channels that know of an alert that it fires.
    public func toldChannels() throws(HistoryError) -> [AlertKey: [String]] {
        try read { db in
            var told: [AlertKey: [String]] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT rule, market, channel FROM told")
            while let row = try rows.next() {
                guard let market = try? MarketID(row["market"]) else { continue }
                told[AlertKey(rule: row["rule"], market: market), default: []].append(row["channel"])
            }
            return told
        }
    }
}

extension QueuedMessage {
    fileprivate init(_ id: String, _ row: Row) {
        self.init(
            id: id, channel: row["channel"], createdAt: Date(milliseconds: row["created_at"]), events: [],
            isNote: row["is_note"], isHeld: row["held"], attempts: row["attempts"],
            notBefore: (row["not_before"] as Int64?).map(Date.init(milliseconds:)), lastError: row["last_error"])
    }
}

extension QueuedMessage.Event {
    fileprivate init?(_ row: Row) {
        guard let id: String = row["event_id"], let market = try? MarketID(row["market"]) else { return nil }
        self.init(
            id: id, alert: AlertKey(rule: row["rule"], market: market),
            isCritical: row["severity"] == AlertRule.Severity.critical.rawValue)
    }
}
