import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// The number of a market's samples and hourly candles before a moment, in all currencies; nil: all.
    package func recorded(
        of market: MarketID, before: Date?
    ) throws(HistoryError) -> (samples: Int64, candles: Int64) {
        try read { db in
            func count(_ sql: String) throws -> Int64 {
                let arguments: StatementArguments = [market.text, before?.milliseconds ?? Int64.max]
                return try db.value("SELECT count(*) FROM series, \(sql)", arguments) ?? 0
            }
            return (
                try count(
                    """
                    poll CROSS JOIN sample ON sample.id = (poll.id << 20) + series.id
                    WHERE market = ?1 AND poll.fetched_at - age < ?2
                    """),
                try count("candle WHERE candle.series = series.id AND market = ?1 AND (hour + 1) * 3600000 <= ?2")
            )
        }
    }

    /// Increases with every market that any process forgets.
    package func forgetCount() throws(HistoryError) -> Int64 {
        try read { db in
            try db.all("SELECT value FROM setting WHERE name = 'forgotten'") {
                try $0.digits(0, in: 0...Int64.max)
            }.first ?? 0
        }
    }
}

/// Deletes a market's prices in short transactions, whether a daemon is running or not.
package final class ForgetDatabase: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// Opens the database at `path`; throws `.absent` if there is none.
    package init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openBesideDaemon(path)
    }

    /// Deletes samples and candles from before a moment, in all currencies; nil: all that are recorded now. The candle
    /// of the hour that the moment divides is counted anew from the samples that remain.
    ///
    /// - Parameter progress: called with 0 to 1.
    package func forget(
        _ market: MarketID, before: Date?, progress: (Double) -> Void = { _ in }
    ) throws(HistoryError) {
        let limit = before?.milliseconds ?? .max
        try HistoryError.naming("delete from", path) {
            let series: [Int64] = try queue.read {
                try $0.values("SELECT id FROM series WHERE market = ?", [market.text])
            }
            let parts = [("id", "poll", Self.samples), ("hour", "candle", Self.candles)]
            for (part, (key, table, statements)) in parts.enumerated() {
                let ends: [Int64?] = try ["min", "max"].map { end in
                    try queue.read { try $0.value("SELECT \(end)(\(key)) FROM \(table)") ?? nil }
                }
                guard let first = ends[0], let last = ends[1] else { continue }
                var pace = Pace()
                var next = first
                while next <= last {
                    let end = min(last, next + Int64(pace.rows) - 1)
                    let clock = ContinuousClock.now
                    try queue.write { db in
                        for id in series {
                            for sql in statements { try db.execute(sql: sql, arguments: [id, next, end, limit]) }
                        }
                    }
                    _ = pace.took(ContinuousClock.now - clock)
                    next = end + 1
                    progress((Double(part) + Double(next - first) / Double(last - first + 1)) / Double(parts.count))
                    // A daemon's poll that waits gets its turn.
                    usleep(5_000)
                }
            }
            try queue.write { db in
                for id in series { try finish(id, limit, db) }
                try db.execute(
                    sql: """
                        DELETE FROM poll WHERE backfilled AND samples = 0 AND id < (SELECT max(id) FROM poll);
                        INSERT INTO setting (name, value) VALUES ('forgotten', '1')
                        ON CONFLICT DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)
                        """)
            }
        }
    }

    /// Each with the series, the first and the last poll, and the end of the time.
    private static let samples = [
        """
        UPDATE poll SET samples = samples - 1 WHERE id BETWEEN ?2 AND ?3 AND EXISTS
            (SELECT 1 FROM sample WHERE sample.id = (poll.id << 20) + ?1 AND poll.fetched_at - age < ?4)
        """,
        """
        DELETE FROM sample WHERE id IN (
            SELECT sample.id FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
            WHERE poll.id BETWEEN ?2 AND ?3 AND poll.fetched_at - age < ?4)
        """,
    ]

    /// The same with the first and the last hour. One seek an hour: each holds a row for every market.
    private static let candles = [
        """
        DELETE FROM candle WHERE series = ?1 AND (hour + 1) * 3600000 <= ?4 AND hour IN (
            WITH RECURSIVE hours (hour) AS (SELECT ?2 UNION ALL SELECT hour + 1 FROM hours WHERE hour < ?3)
            SELECT hour FROM hours)
        """
    ]

    private func finish(_ series: Int64, _ limit: Int64, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM stated WHERE series = ? AND (hour + 1) * 3600000 <= ?", arguments: [series, limit])
        try db.execute(
            sql: "UPDATE series SET newest_candle = NULL WHERE id = ? AND (newest_candle + 1) * 3600000 <= ?",
            arguments: [series, limit])
        let hour = Hour.of(limit)
        guard limit % Hour.milliseconds != 0, let known = try CandleRows.read(hour, series, db) else { return }
        var builder = CandleBuilder(length: .hours(1))
        try SampleScan.one(series, db, hours: hour...hour) { _, price in
            _ = builder.add(price, quotedAt: known.start)
        }
        guard var candle = builder.finish() else {
            try db.execute(sql: "DELETE FROM candle WHERE hour = ? AND series = ?", arguments: [hour, series])
            return try db.execute(
                sql: "UPDATE series SET newest_candle = NULL WHERE id = ? AND newest_candle = ?",
                arguments: [series, hour])
        }
        candle.state(volume24h: known.volume24h, marketCap: known.marketCap)
        try CandleRows.write(candle, hour, series, db)
    }
}
