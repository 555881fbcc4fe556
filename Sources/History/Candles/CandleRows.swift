import Foundation
import GRDB
import Markets

/// Hourly candles as rows of the table `candle`.
enum CandleRows {
    static let columns = """
        open, open_exponent, high, high_exponent, low, low_exponent, close, close_exponent, samples, volume_24h, market_cap
        """

    /// - Parameter first: the index of the first candle column in the row.
    static func candle(_ row: Row, at first: Int, hour: Int64) throws -> Candle {
        Candle(
            start: Hour.start(hour), open: try row.price(first, "candle.open"),
            high: try row.price(first + 2, "candle.high"), low: try row.price(first + 4, "candle.low"),
            close: try row.price(first + 6, "candle.close"), samples: try row.value(first + 8, "candle.samples"),
            volume24h: try row.value(first + 9, "candle.volume_24h"),
            marketCap: try row.value(first + 10, "candle.market_cap"))
    }

    static func read(_ hour: Int64, _ series: Int64, _ db: Database) throws -> Candle? {
        let find = try db.cachedStatement(sql: "SELECT \(columns) FROM candle WHERE hour = ? AND series = ?")
        return try Row.fetchOne(find, arguments: [hour, series]).map { try candle($0, at: 0, hour: hour) }
    }

    /// Inserts or replaces a candle, and updates the series' newest candle hour.
    static func write(_ candle: Candle, _ hour: Int64, _ series: Int64, _ db: Database) throws {
        let insert = try db.cachedStatement(
            sql:
                "INSERT OR REPLACE INTO candle (hour, series, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try insert.execute(arguments: [
            hour, series, candle.open.significand, candle.open.exponent, candle.high.significand,
            candle.high.exponent, candle.low.significand, candle.low.exponent, candle.close.significand,
            candle.close.exponent, candle.samples, candle.volume24h, candle.marketCap,
        ])
        let note = try db.cachedStatement(
            sql: "UPDATE series SET newest_candle = ?1 WHERE id = ?2 AND ifnull(newest_candle < ?1, 1)")
        try note.execute(arguments: [hour, series])
    }
}
