import Engine
import Foundation
import GRDB
import Markets

/// A recorded poll, as read to rebuild the windows of the rules. Markets are indices into the caller's list.
package struct RecalledPoll: Sendable {
    /// When the answer was complete; of a backfilled price, the time of the price.
    package var fetchedAt: Date
    /// True for backfilled prices: the poll concerns the markets among its samples only.
    package var isBackfilled: Bool
    /// The source whose markets were requested.
    package var source = SourceID.shared
    /// The interval in force when the poll was due; zero: as configured.
    package var interval = Duration.zero
    /// The new and trusted prices.
    package var samples: [(market: Int, quotedAt: Date, price: Price)] = []
    /// Markets without a usable price.
    package var unknown: [Int] = []
}

extension HistoryReader {
    /// Passes the usable polls from `since` on and before `until` to `body`, oldest first, reduced to these markets.
    package func recall(
        _ markets: [MarketID], in currency: Currency, since: Date, until: Date = .distantFuture,
        _ body: (RecalledPoll) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            let places = Dictionary(markets.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            let series = try SeriesIDs.markets(db, in: currency, only: Set(markets)).compactMapValues { places[$0] }
            // Few markets are looked up one by one in each poll; many are read by a scan of the poll.
            let ids =
                series.count <= 32
                ? "id IN (\(series.keys.map { "(?1 << 20) + \($0)" }.joined(separator: ", ")))"
                : "id BETWEEN ?1 << 20 AND (?1 << 20) + \(SampleKey.largestSeries)"
            let samples = try db.makeStatement(
                sql: """
                    SELECT id & \(SampleKey.largestSeries), significand, exponent, age FROM sample
                    WHERE \(ids) AND confirmed ORDER BY id
                    """)
            let unknown = try db.makeStatement(
                sql: """
                    SELECT series FROM unknown WHERE poll = ? AND reason NOT IN ('old_quote', 'unconfirmed')
                    """)
            var watching = try UnwatchedMarkets(series, db)
            let polls = try Row.fetchCursor(
                db,
                sql: """
                    SELECT poll.id, fetched_at, name, alone, backfilled, at, interval
                    FROM poll LEFT JOIN feed ON feed.id = feed
                    WHERE at >= ? AND at < ? AND outcome <> 'failed' ORDER BY at, poll.id
                    """,
                arguments: [since.milliseconds, until.milliseconds])
            while let row = try polls.next() {
                let id: Int64 = try row.value(0, "poll.id")
                let isBackfilled: Bool = try row.value(4, "poll.backfilled")
                let (at, fetchedAt) = (try row.time(5, "poll.at"), try row.time(1, "poll.fetched_at"))
                var poll = RecalledPoll(
                    fetchedAt: Date(milliseconds: isBackfilled ? at : fetchedAt), isBackfilled: isBackfilled)
                if try row.value(3, "poll.alone"), let feed = try row.value(2, "feed.name", as: String?.self) {
                    poll.source = .own(feed)
                }
                poll.interval = try row.value(6, "poll.interval")
                if !isBackfilled { poll.unknown = watching.at(id) }
                let rows = try Row.fetchCursor(samples, arguments: [id])
                while let row = try rows.next() {
                    guard let market = series[try row.value(0, "sample.id")] else { continue }
                    let quotedAt = try row.quotedAt(3, "sample.age", fetchedAt: fetchedAt)
                    poll.samples.append((market, quotedAt, try row.price(1, "sample.significand")))
                }
                if isBackfilled {
                    if !poll.samples.isEmpty { try body(poll) }
                    continue
                }
                for id in try unknown.values("unknown.series", [id], as: Int64.self) {
                    if let market = series[id] { poll.unknown.append(market) }
                }
                try body(poll)
            }
        }
    }
}

/// The markets that were not watched at each poll: their absence from an answer means nothing.
private struct UnwatchedMarkets {
    private var coming: ArraySlice<(from: Int64, market: Int, isWatched: Bool)>
    private var unwatched: Set<Int> = []

    /// - Parameter series: the place of each market's series.
    init(_ series: [Int64: Int], _ db: Database) throws {
        coming = try Row.fetchAll(db, sql: "SELECT poll, series, watched FROM watch ORDER BY poll").compactMap { row in
            guard let market = series[try row.value(1, "watch.series")] else { return nil }
            return (try row.value(0, "watch.poll"), market, try row.value(2, "watch.watched"))
        }[...]
    }

    mutating func at(_ poll: Int64) -> [Int] {
        while let change = coming.first, change.from <= poll {
            if change.isWatched { unwatched.remove(change.market) } else { unwatched.insert(change.market) }
            coming.removeFirst()
        }
        return Array(unwatched)
    }
}
