import Engine
import Foundation
import GRDB
import Markets

/// Finds the newest trusted samples, and the unconfirmed ones after them, without a scan of the whole history.
enum NewestSamples {
    private static let lastPolls = 8

    /// The newest samples of one series.
    struct Found {
        /// Nil if the last few polls hold no trusted sample.
        var trusted: MarketBoard.PriceSample?
        var confirmation = MoveConfirmation.settled
    }

    /// By series: the samples of the last few live polls, and of the last few polls of markets with their own feed,
    /// which may have a longer interval.
    static func ofLastPolls(_ db: Database) throws -> [Int64: Found] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT sample.id, significand, exponent, age, poll.fetched_at, feed.name, confirmed
                FROM (
                    SELECT * FROM (
                        SELECT * FROM poll WHERE NOT backfilled AND samples > 0 ORDER BY at DESC, id DESC LIMIT \(lastPolls))
                    UNION
                    SELECT * FROM (
                        SELECT * FROM poll WHERE alone AND NOT backfilled AND samples > 0
                        ORDER BY at DESC, id DESC LIMIT \(lastPolls))
                ) AS poll
                CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                LEFT JOIN feed ON feed.id = poll.feed
                ORDER BY poll.at DESC, poll.id DESC
                """)
        var newest: [Int64: Found] = [:]
        while let row = try rows.next() {
            let series = SampleKey.series(try row.value(0, "sample.id"))
            guard newest[series]?.trusted == nil else { continue }
            let sample = try priceSample(row, at: 1)
            if try row.value(6, "sample.confirmed") {
                newest[series, default: Found()].trusted = sample
            } else {
                // Each poll since then that disagreed has left an unconfirmed sample.
                newest[series, default: Found()].confirmation.recall(sample)
            }
        }
        return newest
    }

    /// - Parameter newestCandle: The hour of the newest written candle; samples after it belong to the open hours.
    static func of(_ series: Int64, newestCandle: Int64?, _ db: Database) throws -> MarketBoard.PriceSample? {
        let open = try OpenCandles.until(db)
        if let sample = try newest(
            of: series, polledSince: open * Hour.milliseconds - OpenCandles.slack, until: .max, db)
        {
            return sample
        }
        guard let hour = newestCandle else { return nil }
        let start = hour * Hour.milliseconds
        if let sample = try newest(
            of: series, polledSince: start - OpenCandles.slack, until: start + 26 * Hour.milliseconds, db)
        {
            return sample
        }
        // The sample was pruned; the candle's close holds its price.
        guard let candle = try CandleRows.read(hour, series, db) else { return nil }
        let end = Date(milliseconds: start + Hour.milliseconds - 1)
        return MarketBoard.PriceSample(price: candle.close, quotedAt: end, fetchedAt: end, feed: "")
    }

    private static func newest(of series: Int64, polledSince since: Int64, until: Int64, _ db: Database) throws
        -> MarketBoard.PriceSample?
    {
        let find = try db.cachedStatement(
            sql: """
                SELECT significand, exponent, age, poll.fetched_at, feed.name
                FROM poll
                CROSS JOIN sample ON sample.id = (poll.id << 20) + ?
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE poll.at >= ? AND poll.at < ? AND confirmed
                ORDER BY poll.at DESC, poll.id DESC LIMIT 1
                """)
        return try Row.fetchOne(find, arguments: [series, since, until]).map { try priceSample($0, at: 0) }
    }

    /// - Parameter first: the index of the significand; exponent, age, the poll's answer and the feed's name follow.
    static func priceSample(_ row: Row, at first: Int) throws -> MarketBoard.PriceSample {
        let fetchedAt = try row.time(first + 3, "poll.fetched_at")
        return MarketBoard.PriceSample(
            price: try row.price(first, "sample.significand"),
            quotedAt: try row.quotedAt(first + 2, "sample.age", fetchedAt: fetchedAt),
            fetchedAt: Date(milliseconds: fetchedAt),
            feed: try row.value(first + 4, "feed.name", as: String?.self) ?? "")
    }
}
