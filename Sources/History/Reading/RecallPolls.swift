public import Foundation
import GRDB
public import Markets

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
            let places = Dictionary(markets.enumerated().map { ($1.text, $0) }, uniquingKeysWith: { first, _ in first })
            var series: [Int64: Int] = [:]
            let known = try Row.fetchCursor(
                db, sql: "SELECT id, market FROM series WHERE currency = ?", arguments: [currency.code])
            while let row = try known.next() {
                if let place = places[row[1]] { series[row[0]] = place }
            }
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
                let id: Int64 = row[0]
                let isHealed: Bool = row[4]
                let fetchedAt: Int64 = row[1]
                var poll = RecalledPoll(
                    fetchedAt: Date(milliseconds: isHealed ? row[5] : fetchedAt), isHealed: isHealed, feed: row[2])
                if row[3], let feed = poll.feed { poll.lane = .own(feed) }
                poll.interval = .milliseconds(row[6] as Int64)
                if !isHealed { poll.unknown = watching.at(id) }
                let rows = try Row.fetchCursor(samples, arguments: [id])
                while let row = try rows.next() {
                    guard let market = series[row[0]], let price = Price(significand: row[1], exponent: row[2]) else {
                        continue
                    }
                    poll.samples.append((market, Date(milliseconds: fetchedAt - row[3]), price))
                }
                if isHealed {
                    if !poll.samples.isEmpty { try body(poll) }
                    continue
                }
                let missing = try Int64.fetchCursor(unknown, arguments: [id])
                while let id = try missing.next() {
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
            series[row[1]].map { (row[0], $0, row[2]) }
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
