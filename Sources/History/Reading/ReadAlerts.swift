public import Foundation
import GRDB
public import Markets

extension HistoryReader {
    /// Where every alert stands.
    public func alerts() throws(HistoryError) -> [AlertKey: Alert] {
        try read { db in
            var alerts: [AlertKey: Alert] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM alert")
            while let row = try rows.next() {
                guard let market = try? MarketID(row["market"]) else { continue }
                alerts[AlertKey(rule: row["rule"], market: market)] = Alert(
                    state: AlertState(row), condition: row["condition"], announcements: row["announcements"])
            }
            return alerts
        }
    }

    /// The events that put the alerts now pending or firing where they are.
    public func standingEvents() throws(HistoryError) -> [AlertEvent] {
        try events(
            where: """
                id IN (SELECT max(event.id) FROM event JOIN alert USING (rule, market)
                       WHERE alert.state = 'pending' AND event = 'pending'
                          OR alert.state = 'firing' AND event IN ('firing', 'reminder')
                       GROUP BY rule, market)
                """)
    }

    /// The events decided from `since` on, oldest first.
    public func events(since: Date) throws(HistoryError) -> [AlertEvent] {
        try events(where: "at >= ?", [since.milliseconds])
    }

    /// The rules that ever had an alert.
    public func alertRules() throws(HistoryError) -> [String] {
        try read { db in try String.fetchAll(db, sql: "SELECT DISTINCT rule FROM alert ORDER BY rule") }
    }

    /// Events that are stored and may not have reached the log, oldest first.
    public func unloggedEvents() throws(HistoryError) -> [AlertEvent] {
        try events(where: "logged = 0")
    }

    /// The moment of the newest day's summary that was told.
    public func lastDigest() throws(HistoryError) -> Date? {
        try read { db in
            try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'digest'").flatMap(Int64.init)
                .map(Date.init(milliseconds:))
        }
    }

    private func events(
        where condition: String, _ arguments: StatementArguments = []
    ) throws(HistoryError) -> [AlertEvent] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM event WHERE \(condition) ORDER BY id", arguments: arguments)
                .compactMap(AlertEvent.init)
        }
    }
}

extension AlertState {
    fileprivate init(_ row: Row) {
        func date(_ column: String) -> Date? { (row[column] as Int64?).map(Date.init(milliseconds:)) }
        let since = date("since")
        let time = date("last_answered").map {
            WatchedTime(total: .milliseconds((row["held"] as Int64?) ?? 0), lastAnswered: $0)
        }
        switch (row["state"] as String, since) {
        case ("firing", let since?):
            self = .firing(
                Firing(
                    since: since, lastNotified: date("last_notified") ?? since,
                    notifiedPrice: (row["notified_price"] as String?).flatMap { Price(parsing: $0) },
                    side: (row["side"] as String?).flatMap(AlertRule.Condition.Direction.init), fading: time))
        case ("pending", let since?): self = .pending(since: since, held: time ?? WatchedTime(lastAnswered: since))
        case ("resting", _): self = .resting
        default: self = .inactive
        }
    }
}

extension AlertEvent {
    init?(_ row: Row) {
        func date(_ column: String) -> Date? { (row[column] as Int64?).map(Date.init(milliseconds:)) }
        func price(_ column: String) -> Price? { (row[column] as String?).flatMap { Price(parsing: $0) } }
        guard let kind = Kind(rawValue: row["event"]), let market = try? MarketID(row["market"]),
            let currency = try? Currency(row["currency"]), let at = date("at")
        else { return nil }
        self.init(
            id: row["event_id"], kind: kind, reason: AlertReason(rawValue: row["reason"]) ?? .firstFiring,
            rule: row["rule"], market: market, symbol: row["symbol"], name: row["name"], currency: currency,
            severity: AlertRule.Severity(rawValue: row["severity"]) ?? .warning, note: row["note"],
            condition: row["condition"], price: price("price"), threshold: price("threshold"),
            changePercent: (row["change_hundredths"] as Int64?).map(Percent.init(hundredths:)), at: at,
            quotedAt: date("quoted_at"), since: date("since"), lateSeconds: row["late_s"],
            silencedUntil: date("silenced_until"), feed: row["feed"], host: row["host"])
    }
}
