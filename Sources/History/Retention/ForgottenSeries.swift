import Foundation
import GRDB
import Markets

/// There are 2^20 series numbers, and every market that was ever watched takes one. Markets that were watched for their
/// rank only and left no data give theirs back.
extension HistoryWriter {
    /// Above this number of series, those with nothing but old candles are deleted, too.
    static let manySeries = SampleKey.largestSeries / 2

    /// Deletes series that the configuration never named, that are not watched now, and that have neither samples nor
    /// candles, with all rows about them.
    ///
    /// A series with many samples has a candle, so only series without one are looked up among the samples: in the
    /// polls that watched them, and in the hours without candles.
    func forgottenSeries(_ db: Database, atMost rows: Int) throws -> Set<Int64> {
        let isScarce = try db.value("series", "SELECT count(*) FROM series", as: Int64.self) ?? 0 > Self.manySeries
        // The first hour whose candles keep a series.
        let kept =
            isScarce
            ? (try db.value("poll.at", "SELECT min(at) FROM poll", as: Date?.self) ?? nil).map {
                Hour.of($0.milliseconds - OpenCandles.slack)
            } : try db.value("candle.hour", "SELECT min(hour) FROM candle", as: Int64?.self) ?? nil
        let open = try OpenCandles.until(db) * Hour.milliseconds - OpenCandles.slack
        let found = try Row.fetchAll(
            db,
            sql: """
                SELECT id, first, last FROM series LEFT JOIN (
                    SELECT series, min(poll) AS first, max(poll) AS last, max(poll * 2 + watched) % 2 AS is_watched
                    FROM watch GROUP BY series
                ) AS span ON span.series = id
                WHERE NOT named AND NOT ifnull(is_watched, 0) AND ifnull(newest_candle < ?1, 1)
                    AND NOT EXISTS (SELECT 1 FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + series.id
                                    WHERE poll.id BETWEEN first AND last)
                    AND NOT EXISTS (SELECT 1 FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + series.id
                                    WHERE poll.at >= ?2)
                LIMIT ?3
                """, arguments: [kept, open, isScarce ? max(rows, 65_536) : rows])
        guard !found.isEmpty else { return [] }
        let ids = try found.map { try $0.series() }
        let unknown = try db.cachedStatement(
            sql: """
                DELETE FROM unknown WHERE series = ?1 AND poll IN (SELECT id FROM poll WHERE id BETWEEN ?2 AND ?3)
                """)
        for row in found {
            let (first, last): (Int64?, Int64?) = (try row.value(1, "watch.poll"), try row.value(2, "watch.poll"))
            guard let first, let last else { continue }
            try unknown.execute(arguments: [try row.series(), first, last])
        }
        let list = ids.map(String.init).joined(separator: ", ")
        for table in ["watch", "healed", "stated"] + (isScarce ? ["candle"] : []) {
            try db.execute(sql: "DELETE FROM \(table) WHERE series IN (\(list))")
        }
        try db.execute(sql: "DELETE FROM series WHERE id IN (\(list))")
        return Set(ids)
    }
}
