import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// Where every alert stands.
    public func alerts() throws(HistoryError) -> [AlertKey: Alert] {
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
        try read { db in try db.values("alert.rule", "SELECT DISTINCT rule FROM alert ORDER BY rule") }
    }

    /// Events that are stored and may not have reached the log, oldest first.
    public func unloggedEvents() throws(HistoryError) -> [AlertEvent] {
        try events(where: "logged = 0")
    }

    /// The moment of the newest day's summary that was told.
    public func lastDigest() throws(HistoryError) -> Date? {
        try read { db in
            let find = "SELECT value FROM setting WHERE name = 'digest'"
            return try db.value("setting.value", find, as: Digits<Date>.self)?.value
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

extension Alert {
    /// - Parameter row: of the table `alert`.
    init(_ row: Row) throws {
        self.init(
            state: try AlertState(row), condition: try row.value("alert.condition"),
            announcements: try row.value("alert.announcements"))
    }
}

extension AlertState {
    fileprivate init(_ row: Row) throws {
        let since: Date? = try row.value("alert.since")
        let held: Duration? = try row.value("alert.held")
        let time = try row.value("alert.last_answered", as: Date?.self).map {
            WatchedTime(total: held ?? .zero, lastAnswered: $0)
        }
        let name: String = try row.value("alert.state")
        switch (name, since) {
        case ("firing", let since?):
            self = .firing(
                Firing(
                    since: since, lastNotified: try row.value("alert.last_notified", as: Date?.self) ?? since,
                    notifiedPrice: try row.value("alert.notified_price"), side: try row.value("alert.side"),
                    fading: time))
        case ("pending", let since?): self = .pending(since: since, held: time ?? WatchedTime(lastAnswered: since))
        case ("resting", nil): self = .resting
        case ("inactive", nil): self = .inactive
        default: throw UndecodableValue(place: "alert.state", found: name.databaseValue)
        }
    }
}

extension AlertEvent {
    /// - Parameter row: of the table `event`.
    init(_ row: Row) throws {
        self.init(
            id: try row.value("event.event_id"), kind: try row.value("event.event"),
            reason: try row.value("event.reason"), rule: try row.value("event.rule"),
            market: try row.value("event.market"),
            symbol: try row.value("event.symbol", as: String.self).cut(toBytes: Quote.longestSymbol),
            name: try row.value("event.name", as: String.self).cut(toBytes: Quote.longestName),
            currency: try row.value("event.currency"),
            severity: try row.value("event.severity"), note: try row.value("event.note"),
            condition: try row.value("event.condition"), price: try row.value("event.price"),
            threshold: try row.value("event.threshold"), changePercent: try row.value("event.change_hundredths"),
            at: try row.value("event.at"), quotedAt: try row.value("event.quoted_at"),
            since: try row.value("event.since"),
            lateSeconds: try row.value("event.late_s", as: Int64?.self).map(Int.init),
            silencedUntil: try row.value("event.silenced_until"), feed: try row.value("event.feed"),
            host: try row.value("event.host"))
    }
}
