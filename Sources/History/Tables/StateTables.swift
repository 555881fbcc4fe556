import Engine
import Foundation
import GRDB
import Markets

/// The tables of the daemon's state: few rows. Without them it would repeat announcements and exceed its request quota.
enum StateTables {
    /// Each table with a check that throws if a row is damaged.
    static let all: [(name: String, check: @Sendable (StoredRow) throws -> Void)] = [
        (
            "setting",
            { row in
                switch try row.value("name", as: String.self) {
                case "candles_until": _ = try row.digits(row.column("value"), in: Hour.all)
                case "digest": _ = try row.digits(row.column("value"), in: Date.stored)
                default: _ = try row.value("value", as: String.self)
                }
            }
        ),
        ("feed", columns(("id", Int64.self), ("name", String.self))),
        (
            "series",
            { row in
                _ = try row.series(row.column("id"))
                try columns(
                    ("market", MarketID.self), ("currency", Currency.self), ("symbol", String.self),
                    ("name", String.self), ("newest_candle", Int64?.self))(row)
            }
        ),
        ("ranking", columns(("market", MarketID.self))),
        ("alert", { _ = (try AlertKey($0), try Alert($0)) }),
        ("silence", { _ = try Silence($0) }),
        (
            "event",
            { _ = (try $0.value("id", as: Int64.self), try $0.value("logged", as: Bool.self), try AlertEvent($0)) }
        ),
        ("message", { _ = (try $0.value("id", as: Int64.self), try QueuedMessage($0, events: [])) }),
        ("message_event", columns(("message", Int64.self), ("event", Int64.self))),
        ("told", columns(("rule", String.self), ("market", MarketID.self), ("channel", String.self))),
        ("feed_note", columns(("feed", String.self), ("name", String.self), ("value", Data.self))),
        ("feed_month", columns(("feed", String.self), ("month", String.self), ("requests", Int.self))),
        (
            "export",
            { _ = (try $0.value("name", as: String.self), try $0.value("lost", as: Int.self), try StoredExport($0)) }
        ),
    ]

    /// Reads all rows; of events those of the queued messages alone: there are many, and they are checked when read.
    static func check(_ db: Database) throws {
        for table in all {
            let queued = table.name == "event" ? " WHERE id IN (SELECT event FROM message_event)" : ""
            try db.rows("SELECT * FROM \(table.name)\(queued)") { try table.check($0) }
        }
    }

    private static func columns(
        _ columns: (name: String, type: any StoredValue.Type)...
    ) -> @Sendable (StoredRow) throws -> Void {
        { row in for column in columns { try row.check(column.name, column.type) } }
    }
}

extension StoredRow {
    fileprivate func check<Value: StoredValue>(_ column: String, _ type: Value.Type) throws {
        _ = try value(column, as: type)
    }
}

extension AlertKey {
    /// - Parameter row: of the table `alert` or `told`.
    init(_ row: StoredRow) throws {
        self.init(rule: try row.value("rule"), market: try row.value("market"))
    }
}

extension Alert {
    /// - Parameter row: of the table `alert`.
    init(_ row: StoredRow) throws {
        self.init(
            state: try AlertState(row), condition: try row.value("condition"),
            announcements: try row.value("announcements"))
    }
}

extension AlertState {
    fileprivate init(_ row: StoredRow) throws {
        let since: Date? = try row.value("since")
        let held: Duration? = try row.value("held")
        let time = try row.value("last_answered", as: Date?.self).map {
            WatchedTime(total: held ?? .zero, lastAnswered: $0)
        }
        let name: String = try row.value("state")
        switch (name, since) {
        case ("firing", let since?):
            self = .firing(
                Firing(
                    since: since, lastNotified: try row.value("last_notified", as: Date?.self) ?? since,
                    notifiedPrice: try row.value("notified_price"), side: try row.value("side"),
                    clearedFor: time))
        case ("pending", let since?): self = .pending(since: since, held: time ?? WatchedTime(lastAnswered: since))
        case ("resting", nil): self = .latched
        case ("dormant", nil): self = .dormant
        case ("inactive", nil): self = .inactive
        default: throw UndecodableValue(column: ["alert.state"], found: name.databaseValue)
        }
    }
}

extension AlertEvent {
    /// - Parameter row: of the table `event`.
    init(_ row: StoredRow) throws {
        self.init()
        id = try row.value("event_id")
        kind = try row.value("event")
        reason = try row.value("reason")
        rule = try row.value("rule")
        market = try row.value("market")
        symbol = try row.value("symbol", as: String.self).cut(toBytes: Quote.longestSymbol)
        name = try row.value("name", as: String.self).cut(toBytes: Quote.longestName)
        currency = try row.value("currency")
        severity = try row.value("severity")
        note = try row.value("note")
        condition = try row.value("condition")
        price = try row.value("price")
        threshold = try row.value("threshold")
        changePercent = try row.value("change_hundredths")
        at = try row.value("at")
        quotedAt = try row.value("quoted_at")
        since = try row.value("since")
        lateSeconds = try row.value("late_s", as: Int64?.self).map(Int.init)
        silencedUntil = try row.value("silenced_until")
        feed = try row.value("feed")
        host = try row.value("host")
    }
}

extension Silence {
    /// - Parameter row: of the table `silence`.
    init(_ row: StoredRow) throws {
        self.init(
            id: try row.value("id"), rule: try row.value("rule"),
            market: try row.value("market"), since: try row.value("since"),
            until: try row.value("until"))
    }
}

extension QueuedMessage {
    /// - Parameter row: of the table `message`.
    init(_ row: StoredRow, events: [Event]) throws {
        self.init(
            id: try row.value("message_id"), channel: try row.value("channel"),
            createdAt: try row.value("created_at"), events: events)
        isNote = try row.value("note", as: Data?.self) != nil
        isHeld = try row.value("held")
        attempts = try row.value("attempts")
        notBefore = try row.value("not_before")
        lastError = try row.value("last_error")
    }
}

extension StoredExport {
    /// - Parameter row: of the table `export`.
    init(_ row: StoredRow) throws {
        self.init(
            address: try row.value("address"), poll: try row.number(row.column("poll"), in: 0...SampleKey.largestPoll),
            sent: try row.value("sent"), refused: try row.value("refused"))
    }
}
