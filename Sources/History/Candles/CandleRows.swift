import Foundation
import GRDB
import Markets

/// Hourly candles as rows of the table `candle`.
enum CandleRows {
    static let columns = """
        open, open_exponent, high, high_exponent, low, low_exponent, close, close_exponent, samples, volume_24h, market_cap
        """

    /// - Parameter first: where the columns begin in the row.
    static func candle(_ row: Row, at first: Int, hour: Int64) -> Candle? {
        func price(_ column: Int) -> Price? {
            Price(significand: row[first + column], exponent: row[first + column + 1])
        }
        guard let open = price(0), let high = price(2), let low = price(4), let close = price(6) else { return nil }
        return Candle(
            start: Hour.start(hour), open: open, high: high, low: low, close: close, samples: row[first + 8],
            volume24h: row[first + 9], marketCap: row[first + 10])
    }

    static func read(_ hour: Int64, _ series: Int64, _ db: Database) throws -> Candle? {
        let find = try db.cachedStatement(sql: "SELECT \(columns) FROM candle WHERE hour = ? AND series = ?")
        return try Row.fetchOne(find, arguments: [hour, series]).flatMap { candle($0, at: 0, hour: hour) }
    }

    /// Writes a candle in place of the one that is there, and notes that the series has one of this hour.
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
