import Engine
import Foundation
import GRDB
import Markets

/// The tables of the daemon's state: few rows. Without them it would repeat announcements and exceed its request quota.
enum StateTables {
    /// A table, and a check that throws if a row is damaged.
    struct Table: Sendable {
        var name: String
        var check: @Sendable (Row) throws -> Void
    }

    static let all = [
        Table(name: "setting", check: checkSetting),
        Table(name: "feed") { row in
            _ = try row.value("feed.id", as: Int64.self)
            _ = try row.value("feed.name", as: String.self)
        },
        Table(name: "series") { row in
            _ = try row.value("series.id", as: SeriesNumber.self)
            _ = try row.value("series.market", as: MarketID.self)
            _ = try row.value("series.currency", as: Currency.self)
            _ = try row.value("series.symbol", as: String.self)
            _ = try row.value("series.name", as: String.self)
            _ = try row.value("series.newest_candle", as: HourNumber?.self)
        },
        Table(name: "ranking") { _ = try $0.value("ranking.market", as: MarketID.self) },
        Table(name: "alert") { row in
            _ = try row.value("alert.rule", as: String.self)
            _ = try row.value("alert.market", as: MarketID.self)
            _ = try Alert(row)
        },
        Table(name: "silence") { _ = try Silence($0) },
        Table(name: "event", check: checkEvent),
        Table(name: "message") { _ = try QueuedMessage($0, events: []) },
        Table(name: "message_event") { row in
            _ = try row.value("message_event.message", as: Int64.self)
            _ = try row.value("message_event.event", as: Int64.self)
        },
        Table(name: "told") { row in
            _ = try row.value("told.rule", as: String.self)
            _ = try row.value("told.market", as: MarketID.self)
            _ = try row.value("told.channel", as: String.self)
        },
        Table(name: "feed_note") { row in
            _ = try row.value("feed_note.feed", as: String.self)
            _ = try row.value("feed_note.name", as: String.self)
            _ = try row.value("feed_note.value", as: Data.self)
        },
        Table(name: "feed_month") { row in
            _ = try row.value("feed_month.feed", as: String.self)
            _ = try row.value("feed_month.month", as: String.self)
            _ = try row.value("feed_month.requests", as: Int.self)
        },
    ]

    /// Reads all rows, except past events: there are many, and they are checked when read.
    static func check(_ db: Database) throws {
        for table in all where table.name != "event" {
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table.name)")
            while let row = try rows.next() { try table.check(row) }
        }
    }

    @Sendable private static func checkSetting(_ row: Row) throws {
        switch try row.value("setting.name", as: String.self) {
        case "candles_until": _ = try row.value("setting.value", as: DigitText<HourNumber>.self)
        case "digest": _ = try row.value("setting.value", as: DigitText<Date>.self)
        default: _ = try row.value("setting.value", as: String.self)
        }
    }

    @Sendable private static func checkEvent(_ row: Row) throws {
        _ = try row.value("event.id", as: Int64.self)
        _ = try row.value("event.logged", as: Bool.self)
        _ = try AlertEvent(row)
    }
}
