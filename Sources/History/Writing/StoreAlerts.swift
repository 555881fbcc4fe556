import Foundation
import GRDB
import Markets

extension HistoryWriter {
    func store(_ alert: Alert, _ key: AlertKey, _ db: Database) throws {
        let (state, since, held, lastAnswered): (String, Date?, Duration?, Date?) =
            switch alert.state {
            case .inactive: ("inactive", nil, nil, nil)
            case .pending(let since, let held, let lastAnswered): ("pending", since, held, lastAnswered)
            case .firing(let since): ("firing", since, nil, nil)
            }
        let upsert = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO alert (rule, market, condition, state, since, held, last_answered, announcements)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try upsert.execute(arguments: [
            key.rule, key.market.text, alert.condition, state, since?.milliseconds, held?.inMilliseconds,
            lastAnswered?.milliseconds, alert.announcements,
        ])
    }

    /// An event that is there already was announced before a failure to write, and is not announced again.
    func insert(_ event: AlertEvent, _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO event (event_id, event, reason, rule, market, symbol, name, currency, severity, note,
                    condition, price, threshold, change_hundredths, at, quoted_at, since, late_s, silenced_until, feed, host)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try insert.execute(arguments: [
            event.id, event.kind.rawValue, event.reason.rawValue, event.rule, event.market.text, event.symbol,
            event.name,
            event.currency.code, event.severity.rawValue, event.note, event.condition, event.price?.description,
            event.threshold?.description, event.changePercent?.hundredths, event.at.milliseconds,
            event.quotedAt?.milliseconds, event.since?.milliseconds, event.lateSeconds,
            event.silencedUntil?.milliseconds, event.feed, event.host,
        ])
    }

    func markLogged(_ event: String, _ db: Database) throws {
        let update = try db.cachedStatement(sql: "UPDATE event SET logged = 1 WHERE event_id = ?")
        try update.execute(arguments: [event])
    }
}
