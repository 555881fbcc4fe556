import Foundation
import GRDB
import Markets

/// Hourly candles as rows of the table `candle`.
enum CandleRows {
    static let columns = """
        open, open_exponent, high, high_exponent, low, low_exponent, close, close_exponent, samples, volume_24h, market_cap
        """

    /// - Parameter row: `columns`, then the hour.
    static func candle(_ row: StoredRow) throws -> Candle {
        Candle(
            start: Hour.start(try row.hour(11)), open: try row.price(0), high: try row.price(2), low: try row.price(4),
            close: try row.price(6), samples: try row.value(8), volume24h: try row.value(9),
            marketCap: try row.value(10))
    }

    static func read(_ hour: Int64, _ series: Int64, _ db: Database) throws -> Candle? {
        try db.all("SELECT \(columns), hour FROM candle WHERE hour = ? AND series = ?", [hour, series], candle).first
    }

    /// Inserts or replaces a candle, and updates the series' newest candle hour.
    static func write(_ candle: Candle, _ hour: Int64, _ series: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO candle (hour, series, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                hour, series, candle.open.significand, candle.open.exponent, candle.high.significand,
                candle.high.exponent, candle.low.significand, candle.low.exponent, candle.close.significand,
                candle.close.exponent, candle.samples, candle.volume24h, candle.marketCap,
            ])
        try db.run(
            "UPDATE series SET newest_candle = ?1 WHERE id = ?2 AND ifnull(newest_candle < ?1, 1)", [hour, series])
    }
}

extension Hour {
    /// The hour of the oldest written candle.
    static func oldestCandle(_ db: Database) throws -> Int64? {
        try db.all("SELECT min(hour) FROM candle") { row in
            try row.value(0, as: Int64?.self) == nil ? nil : try row.hour(0)
        }.first
    }
}

/// Walks over trusted samples by series number, without building market names.
enum SampleScan {
    /// Every series, poll by poll; times in milliseconds.
    ///
    /// - Parameter condition: in SQL.
    static func all(
        _ db: Database, polledSince since: Int64, until: Int64 = .max, where condition: String = "confirmed",
        _ body: (_ series: Int64, _ quotedAt: Int64, Price) throws -> Void
    ) throws {
        try db.rows(
            """
            SELECT sample.id, poll.fetched_at - sample.age, significand, exponent
            FROM poll
            CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
            WHERE poll.at >= ? AND poll.at < ? AND \(condition)
            ORDER BY poll.at, poll.id
            """, [since, until]
        ) { try body(try $0.seriesOfSample(0), try $0.time(1), try $0.price(2)) }
    }

    /// One series' samples of some hours, in the order of their quotes.
    static func one(
        _ series: Int64, _ db: Database, hours: ClosedRange<Int64>, _ body: (_ hour: Int64, Price) -> Void
    ) throws {
        let (start, end) = (hours.lowerBound * Hour.milliseconds, (hours.upperBound + 1) * Hour.milliseconds)
        // A market that is quoted once a day may be polled long after its quote.
        let (first, last) = (start - OpenCandles.slack, end + Hour.day + Hour.milliseconds)
        try db.rows(
            """
            SELECT poll.fetched_at - sample.age AS quoted_at, significand, exponent
            FROM poll
            CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
            WHERE poll.at BETWEEN ?2 AND ?3 AND confirmed AND quoted_at >= ?4 AND quoted_at < ?5
            ORDER BY quoted_at, poll.id
            """, [series, first, last, start, end]
        ) { body(Hour.of(try $0.time(0)), try $0.price(1)) }
    }
}
