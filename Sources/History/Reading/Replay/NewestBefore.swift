import Engine
import Foundation
import GRDB
import Markets

/// The newest trusted price of each series before a poll: in the polls shortly before it, else in the last hour that
/// has a candle.
enum NewestBefore {
    private static let lastPolls = 64

    /// - Parameter at: when the poll began, in milliseconds.
    static func of(
        _ series: ReplaySeries, poll: Int64, at: Int64, _ db: Database
    ) throws -> [Int: MarketBoard.Sighting] {
        var newest: [Int: MarketBoard.Sighting] = [:]
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT sample.id & \(SampleKey.largestSeries), significand, exponent, age, fetched_at, feed.name
                FROM (SELECT * FROM poll WHERE id < ? AND NOT backfilled AND samples > 0 ORDER BY id DESC LIMIT ?)
                    AS poll
                CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + \(SampleKey.largestSeries)
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE confirmed
                ORDER BY poll.id DESC
                """, arguments: [poll, lastPolls])
        while let row = try rows.next() {
            guard let place = series.place(of: try row.value(0, "sample.id")), newest[place] == nil else { continue }
            newest[place] = try NewestSamples.sighting(row, at: 1)
        }
        if newest.count < series.names.count { try addFromCandles(before: at, series, &newest, db) }
        return newest
    }

    private static func addFromCandles(
        before at: Int64, _ series: ReplaySeries, _ newest: inout [Int: MarketBoard.Sighting], _ db: Database
    ) throws {
        let now = Hour.of(at)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT series, max(hour) FROM candle WHERE hour < ? GROUP BY series", arguments: [now])
        while let row = try rows.next() {
            let id: Int64 = try row.value(0, "candle.series")
            guard let place = series.place(of: id), newest[place] == nil else { continue }
            let newestCandle = try row.hour(1, "candle.hour")
            newest[place] = try inHour(now, of: id, before: at, db) ?? inHour(newestCandle, of: id, before: at, db)
        }
    }

    private static func inHour(_ hour: Int64, of id: Int64, before at: Int64, _ db: Database) throws
        -> MarketBoard.Sighting?
    {
        let find = try db.cachedStatement(
            sql: """
                SELECT sample.id, significand, exponent, age, fetched_at, feed.name
                FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + ?
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE poll.at >= ? AND poll.at < ? AND confirmed
                ORDER BY poll.at DESC, poll.id DESC LIMIT 1
                """)
        let start = hour * Hour.milliseconds
        let end = min(at, start + 26 * Hour.milliseconds)
        return try Row.fetchOne(find, arguments: [id, start - OpenCandles.slack, end]).map {
            try NewestSamples.sighting($0, at: 1)
        }
    }
}
