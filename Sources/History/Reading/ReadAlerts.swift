import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// The state of every alert that was ever pending or firing.
    package func alerts() throws(HistoryError) -> [AlertKey: Alert] {
        try read { db in
            var alerts: [AlertKey: Alert] = [:]
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM alert")
            while let row = try rows.next() {
                let key = AlertKey(rule: try row.value("alert.rule"), market: try row.value("alert.market"))
                alerts[key] = try Alert(row)
            }
            return alerts
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

    /// The rules that ever had an alert.
    package func alertRules() throws(HistoryError) -> [String] {
        try read { db in try db.values("alert.rule", "SELECT DISTINCT rule FROM alert ORDER BY rule") }
    }

    /// Events that were committed but may not have been logged, oldest first.
    package func unloggedEvents() throws(HistoryError) -> [AlertEvent] {
        try events(where: "logged = 0")
    }

    /// The time of the newest daily summary that was sent.
    package func lastDigest() throws(HistoryError) -> Date? {
        try read { db in
            let find = "SELECT value FROM setting WHERE name = 'digest'"
            return try db.value("setting.value", find, as: DigitText<Date>.self)?.value
        }
    }

    /// The silences in force, and those that ended and were not announced yet.
    package func silences() throws(HistoryError) -> [Silence] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM silence ORDER BY id").map(Silence.init)
        }
    }

    private func events(
        where condition: String, _ arguments: StatementArguments = []
    ) throws(HistoryError) -> [AlertEvent] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM event WHERE \(condition) ORDER BY id", arguments: arguments)
                .map(AlertEvent.init)
        }
    }
}
