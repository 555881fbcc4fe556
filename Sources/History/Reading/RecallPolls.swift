import Engine
import Foundation
import GRDB
import Markets

/// A recorded poll, as the windows of the rules are rebuilt from it. Markets go by their place in a list.
public struct RecalledPoll: Sendable {
    /// When it was answered; of a healed price, the moment that it speaks of.
    public var fetchedAt: Date
    /// Healed later: it speaks of the markets among its samples, and of no others.
    public var isHealed: Bool
    public var feed: String?
    /// Whose markets the feed was asked for.
    public var lane = Lane.shared
    /// The time between two polls that led to it; zero: as configured.
    public var interval = Duration.zero
    /// What was new and trusted.
    public var samples: [(market: Int, quotedAt: Date, price: Price)] = []
    /// Markets without a usable price.
    public var unknown: [Int] = []
}

extension HistoryReader {
    /// Hands out the usable polls from `since` on and before `until`, oldest first, as far as they are about these
    /// markets.
    ///
    /// - Parameter turn: Only what was recorded before the turn of this number; nil: all.
    public func recall(
        _ markets: [MarketID], in currency: Currency, since: Date, until: Date = .distantFuture,
        recordedBefore turn: Int64? = nil, _ body: (RecalledPoll) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            let places = Dictionary(markets.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            let series = try SeriesIDs.markets(db, in: currency, only: Set(markets)).compactMapValues { places[$0] }
            // Few markets are sought one by one in each poll, many are read with all that stand beside them.
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
            var watching = try Unwatched(series, db)
            let polls = try Row.fetchCursor(
                db,
                sql: """
                    SELECT poll.id, fetched_at, name, alone, backfilled, at, interval
                    FROM poll LEFT JOIN feed ON feed.id = feed
                    WHERE at >= ? AND at < ? AND poll.id < ? AND outcome <> 'failed' ORDER BY at, poll.id
                    """,
                arguments: [since.milliseconds, until.milliseconds, turn ?? .max])
            while let row = try polls.next() {
                let id: Int64 = try row.value(0, "poll.id")
                let isHealed: Bool = try row.value(4, "poll.backfilled")
                let (at, fetchedAt) = (try row.time(5, "poll.at"), try row.time(1, "poll.fetched_at"))
                var poll = RecalledPoll(
                    fetchedAt: Date(milliseconds: isHealed ? at : fetchedAt), isHealed: isHealed,
                    feed: try row.value(2, "feed.name"))
                if try row.value(3, "poll.alone"), let feed = poll.feed { poll.lane = .own(feed) }
                poll.interval = try row.value(6, "poll.interval")
                if !isHealed { poll.unknown = watching.at(id) }
                let rows = try Row.fetchCursor(samples, arguments: [id])
                while let row = try rows.next() {
                    guard let market = series[try row.value(0, "sample.id")] else { continue }
                    let quotedAt = try row.quotedAt(3, "sample.age", fetchedAt: fetchedAt)
                    poll.samples.append((market, quotedAt, try row.price(1, "sample.significand")))
                }
                if isHealed {
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

/// The markets that were not watched, poll by poll: silence about these says nothing.
private struct Unwatched {
    private var coming: ArraySlice<(from: Int64, market: Int, isWatched: Bool)>
    private var unwatched: Set<Int> = []

    /// - Parameter series: the places of the markets.
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
