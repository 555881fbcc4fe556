import Foundation
import GRDB
import Markets

/// 24 h volume and market capitalisation of the open hours. Samples do not hold them, so they are written at intervals:
/// otherwise a restart would lose those of markets that are not quoted again within the hour.
struct StatedFigures {
    /// Long enough that the cost is negligible beside the samples.
    private static let interval = Duration.minutes(10).inMilliseconds

    private var writtenAt = Int64.min
    private var hasNews = false

    /// Writes the figures if the interval has passed.
    mutating func keep(_ candles: [Int64: [Int64: Candle]], at now: Date, _ db: Database) throws {
        hasNews = true
        let now = now.milliseconds
        // Writes also when the clock was set back.
        guard now < writtenAt || now - Self.interval >= writtenAt else { return }
        try write(candles, db)
        writtenAt = now
    }

    /// Writes the figures that changed since the last write.
    mutating func keepLast(_ candles: [Int64: [Int64: Candle]], _ db: Database) throws {
        if hasNews { try write(candles, db) }
    }

    private mutating func write(_ candles: [Int64: [Int64: Candle]], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM stated")
        let insert = try db.cachedStatement(
            sql: "INSERT INTO stated (hour, series, volume_24h, market_cap) VALUES (?, ?, ?, ?)")
        for (hour, candles) in candles.sorted(by: { $0.key < $1.key }) {
            for (series, candle) in candles.sorted(by: { $0.key < $1.key })
            where candle.volume24h != nil || candle.marketCap != nil {
                try insert.execute(arguments: [hour, series, candle.volume24h, candle.marketCap])
            }
        }
        hasNews = false
    }

    static func read(
        _ db: Database, _ body: (_ hour: Int64, _ series: Int64, _ volume24h: Double?, _ marketCap: Double?) -> Void
    ) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT hour, series, volume_24h, market_cap FROM stated")
        while let row = try rows.next() {
            body(
                try row.hour(0, "stated.hour"), try row.value(1, "stated.series"),
                try row.value(2, "stated.volume_24h"), try row.value(3, "stated.market_cap"))
        }
    }
}
