import Engine
import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Writes what changed beside the turns, in one transaction.
    public func record(_ changes: AlertRecord) throws(HistoryError) {
        try write("record alerts in") { try store(changes, $0) }
    }

    func store(_ changes: AlertRecord, _ db: Database) throws {
        for (key, alert) in changes.alerts { try store(alert, key, db) }
        var isNew: Set<String> = []
        for event in changes.events where try insert(event, db) { isNew.insert(event.id) }
        for message in changes.messages { try queue(message, newEvents: isNew, db) }
        for message in changes.settled { try remove(message, db) }
        for (key, channels) in changes.told { try store(channels, toldOf: key, db) }
        for event in changes.logged { try markLogged(event, db) }
        for (silence, now) in changes.endedSilences { try end(silence, at: now, db) }
        if let moment = changes.digest { try note(digest: moment, db) }
    }

    /// Where the database could not be read at the start, it may have counted further than we have.
    private func store(_ alert: Alert, _ key: AlertKey, _ db: Database) throws {
        var time: WatchedTime?
        var firing: AlertState.Firing?
        let name: String
        switch alert.state {
        case .inactive: name = "inactive"
        case .resting: name = "resting"
        case .pending(_, let held):
            name = "pending"
            time = held
        case .firing(let now):
            name = "firing"
            time = now.fading
            firing = now
        }
        let upsert = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO alert (rule, market, condition, state, since, held, last_answered, last_notified,
                    notified_price, side, announcements)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                    max(?11, ifnull((SELECT announcements FROM alert WHERE rule = ?1 AND market = ?2), 0)))
                """)
        try upsert.execute(arguments: [
            key.rule, key.market.text, alert.condition, name, alert.state.since?.milliseconds,
            time?.total.inMilliseconds, time?.lastAnswered.milliseconds, firing?.lastNotified.milliseconds,
            firing?.notifiedPrice?.description, firing?.side?.rawValue, alert.announcements,
        ])
    }

    /// An event that is there already was announced before a failure to write, and is not announced again; false then.
    private func insert(_ event: AlertEvent, _ db: Database) throws -> Bool {
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
        return db.changesCount > 0
    }

    private func note(digest moment: Date, _ db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('digest', ?)",
            arguments: ["\(moment.milliseconds)"])
    }

    private func markLogged(_ event: String, _ db: Database) throws {
        let update = try db.cachedStatement(sql: "UPDATE event SET logged = 1 WHERE event_id = ?")
        try update.execute(arguments: [event])
    }
}
