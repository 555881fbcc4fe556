import Engine
import Foundation
import GRDB
import Markets

/// Alerts, their events, and silences.
extension HistoryReader {
    /// The state of every alert that was ever pending or firing.
    package func alerts() throws(HistoryError) -> [AlertKey: Alert] {
        try read { db in
            let alerts = try db.all(
                """
                SELECT *, (SELECT currency FROM event WHERE event.rule = alert.rule AND event.market = alert.market
                           ORDER BY id DESC LIMIT 1) AS currency
                FROM alert
                """
            ) { row in
                var alert = try Alert(row)
                alert.currency = try row.value("currency")
                return (try AlertKey(row), alert)
            }
            return Dictionary(alerts, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The newest pending, firing or reminder event of each alert that is pending or firing now.
    package func activeEvents() throws(HistoryError) -> [AlertEvent] {
        try events(
            where: """
                id IN (SELECT max(event.id) FROM event JOIN alert USING (rule, market)
                       WHERE alert.state = 'pending' AND event = 'pending'
                          OR alert.state = 'firing' AND event IN ('firing', 'reminder')
                       GROUP BY rule, market)
                """)
    }

    /// The events decided from `since` on, oldest first.
    package func events(since: Date) throws(HistoryError) -> [AlertEvent] {
        try events(where: "at >= ?", [since.milliseconds])
    }

    package func events(since: Date, on market: MarketID) throws(HistoryError) -> [AlertEvent] {
        try events(where: "at >= ? AND market = ?", [since.milliseconds, market.text])
    }

    /// Events that were committed but may not have been logged, oldest first.
    package func unloggedEvents() throws(HistoryError) -> [AlertEvent] { try events(where: "logged = 0") }

    private func events(
        where condition: String, _ arguments: StatementArguments = []
    ) throws(HistoryError) -> [AlertEvent] {
        try read { try $0.all("SELECT * FROM event WHERE \(condition) ORDER BY id", arguments, AlertEvent.init) }
    }

    /// The rules that ever had an alert.
    package func alertRules() throws(HistoryError) -> [String] {
        try read { try $0.values("SELECT DISTINCT rule FROM alert ORDER BY rule") }
    }

    /// The silences in force, and those that ended and were not announced yet.
    package func silences() throws(HistoryError) -> [Silence] {
        try read { try $0.all("SELECT * FROM silence ORDER BY id") { try Silence($0) } }
    }

    /// The time of the newest daily summary that was sent.
    package func lastDigest() throws(HistoryError) -> Date? {
        try read { db in
            try db.all("SELECT value FROM setting WHERE name = 'digest'") {
                Date(milliseconds: try $0.digits(0, in: Date.stored))
            }.first
        }
    }
}

/// Messages.
extension HistoryReader {
    /// All queued messages, in queue order.
    package func queuedMessages() throws(HistoryError) -> [QueuedMessage] {
        try read { db in
            try db.all("SELECT * FROM message ORDER BY id") { row in
                try QueuedMessage(
                    row, events: try Self.events(ofMessage: try row.value("id"), db).map(QueuedMessage.Event.init))
            }
        }
    }

    /// The contents of a message; nil if there is no such id, or its note cannot be decoded.
    package func contents(ofMessage id: String) throws(HistoryError) -> OutgoingMessage.Contents? {
        try read { db in
            try db.all("SELECT id, note FROM message WHERE message_id = ?", [id]) { row in
                let events = try Self.events(ofMessage: try row.value(0), db)
                guard let encoded: Data = try row.value(1, as: Data?.self) else {
                    return OutgoingMessage.Contents(events: events)
                }
                guard var note = try? JSONDecoder().decode(Note.self, from: encoded) else { return nil }
                note.events = events
                return OutgoingMessage.Contents(events: events, note: note)
            }.first
        }
    }

    /// The events of a message, in the order in which they happened.
    private static func events(ofMessage message: Int64, _ db: Database) throws -> [AlertEvent] {
        try db.all(
            """
            SELECT event.* FROM message_event JOIN event ON event.id = message_event.event
            WHERE message_event.message = ? ORDER BY event.id
            """, [message], AlertEvent.init)
    }

    package func outboxSize() throws(HistoryError) -> OutboxSize {
        try read { db in
            var size = OutboxSize(
                queued: try db.value("SELECT count(*) FROM message") ?? 0,
                oldest: try db.value("SELECT min(created_at) FROM message"))
            try db.rows("SELECT channel, count(*) FROM message WHERE held GROUP BY channel ORDER BY channel") { row in
                size.held.append(OutboxSize.Held(channel: try row.value(0), count: try row.value(1), until: nil))
            }
            return size
        }
    }

    /// The channels that were notified that an alert fires.
    package func notifiedChannels() throws(HistoryError) -> [AlertKey: [String]] {
        try read { db in
            var notified: [AlertKey: [String]] = [:]
            try db.rows("SELECT rule, market, channel FROM told") { row in
                notified[try AlertKey(row), default: []].append(try row.value(2))
            }
            return notified
        }
    }
}
