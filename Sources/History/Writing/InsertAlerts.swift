import Engine
import Foundation
import GRDB
import Markets

/// Writes the alerts and events of a commit.
extension HistoryWriter {
    /// Returns the ids of the events that are new.
    func insertAlerts(of commit: Commit, _ db: Database) throws -> Set<String> {
        for (key, alert) in commit.alerts { try store(alert, key, db) }
        var new: Set<String> = []
        for event in commit.events where try insert(event, db) { new.insert(event.id) }
        for (key, channels) in commit.notified { try store(channels, notifiedOf: key, db) }
        for event in commit.logged { try db.run("UPDATE event SET logged = 1 WHERE event_id = ?", [event]) }
        // Keeps a silence that was prolonged meanwhile.
        for silence in commit.endedSilences {
            try db.run("DELETE FROM silence WHERE id = ? AND until <= ?", [silence.id, silence.at.milliseconds])
        }
        if let moment = commit.digest {
            try db.run(
                "INSERT OR REPLACE INTO setting (name, value) VALUES ('digest', ?)", ["\(moment.milliseconds)"])
        }
        return new
    }

    /// Keeps the larger `announcements`: the stored one, if the database could not be read at the start.
    private func store(_ alert: Alert, _ key: AlertKey, _ db: Database) throws {
        var time: WatchedTime?
        var firing: AlertState.Firing?
        let name: String
        switch alert.state {
        case .inactive: name = "inactive"
        case .latched: name = "resting"
        case .dormant: name = "dormant"
        case .pending(_, let held):
            name = "pending"
            time = held
        case .firing(let now):
            name = "firing"
            time = now.clearedFor
            firing = now
        }
        try db.run(
            """
            INSERT OR REPLACE INTO alert (rule, market, condition, state, since, held, last_answered, last_notified,
                notified_price, side, announcements)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                max(?11, ifnull((SELECT announcements FROM alert WHERE rule = ?1 AND market = ?2), 0)))
            """,
            [
                key.rule, key.market.text, alert.condition.description, name, alert.state.since?.milliseconds,
                time?.total.inMilliseconds, time?.lastAnswered.milliseconds, firing?.lastNotified.milliseconds,
                firing?.notifiedPrice?.description, firing?.side?.rawValue, alert.announcements,
            ])
    }

    /// Returns false for an event that exists: it was announced before a failed write, and is not announced again.
    private func insert(_ event: AlertEvent, _ db: Database) throws -> Bool {
        try db.run(
            """
            INSERT OR IGNORE INTO event (event_id, event, reason, rule, market, symbol, name, currency, severity, note,
                condition, price, threshold, change_hundredths, at, quoted_at, since, late_s, silenced_until, feed, host)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                event.id, event.kind.rawValue, event.reason.rawValue, event.rule, event.market.text, event.symbol,
                event.name, event.currency.code, event.severity.rawValue, event.note, event.condition.description,
                event.price?.description, event.threshold?.description, event.changePercent?.hundredths,
                event.at.milliseconds, event.quotedAt?.milliseconds, event.since?.milliseconds, event.lateSeconds,
                event.silencedUntil?.milliseconds, event.feed, event.host,
            ])
        return db.changesCount > 0
    }

    private func store(_ channels: [String], notifiedOf alert: AlertKey, _ db: Database) throws {
        try db.run("DELETE FROM told WHERE rule = ? AND market = ?", [alert.rule, alert.market.text])
        for channel in channels {
            try db.run(
                "INSERT OR IGNORE INTO told (rule, market, channel) VALUES (?, ?, ?)",
                [alert.rule, alert.market.text, channel])
        }
    }
}
