import Engine
import Foundation
import GRDB
import Markets

/// How often a market is polled, and by which source.
package struct MarketRhythm: Hashable, Sendable {
    package var market: MarketID
    package var source: SourceID
    /// Two prices at most this far apart have no hole between them.
    package var longestStep: Duration

    package init(_ market: MarketID, in source: SourceID = .shared, longestStep: Duration) {
        self.market = market
        self.source = source
        self.longestStep = longestStep
    }
}

extension HistoryReader {
    /// The ranges of a period in which a market's price is unknown and which were not backfilled yet.
    ///
    /// A market is known at each usable poll that watched it and did not report it unknown, whether its price changed
    /// or not. Where the polls were pruned, it is known in each hour that has a candle.
    package func holes(
        of rhythms: [MarketRhythm], in currency: Currency, _ period: Range<Date>
    ) throws(HistoryError) -> [MarketID: Holes] {
        try read { db in
            let polls = try LivePolls(db, period)
            let series = try SeriesIDs.markets(db, in: currency, only: Set(rhythms.map(\.market)))
            let ids = Dictionary(series.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            var found: [MarketID: Holes] = [:]
            for rhythm in rhythms {
                guard let id = ids[rhythm.market] else {
                    found[rhythm.market] = Holes([period])
                    continue
                }
                let known = try polls.known(id, in: rhythm, db)
                var holes = Holes(in: period, between: known, longerThan: rhythm.longestStep)
                holes.remove(try polls.candleHours(id, db))
                holes.remove(try BackfilledStretches.of(id, db))
                holes.forget(upTo: rhythm.longestStep)
                found[rhythm.market] = holes
            }
            return found
        }
    }
}

/// The usable polls of a period, and the series that they did not know.
private struct LivePolls {
    private let period: Range<Date>
    private var polls: [(id: Int64, at: Int64, feed: Int64, isAlone: Bool, interval: Duration)] = []
    private var feeds: [String: Int64] = [:]
    private var unknown: [Int64: Set<Int64>] = [:]

    init(_ db: Database, _ period: Range<Date>) throws {
        self.period = period
        let usable = try db.makeStatement(
            sql: """
                SELECT id, at, ifnull(feed, 0), alone, interval FROM poll
                WHERE at >= ? AND at < ? AND outcome <> 'failed' AND NOT backfilled ORDER BY at, id
                """)
        try IntegerRows(db, usable, [period.lowerBound.milliseconds, period.upperBound.milliseconds]).walk { row in
            polls.append(
                (
                    id: try row.value(0, "poll.id"), at: try row.time(1, "poll.at"),
                    feed: try row.value(2, "poll.feed"), isAlone: try row.value(3, "poll.alone"),
                    interval: try row.value(4, "poll.interval")
                ))
        }
        for row in try Row.fetchAll(db, sql: "SELECT name, id FROM feed") {
            feeds[try row.value(0, "feed.name")] = try row.value(1, "feed.id", as: Int64.self)
        }
        guard let first = polls.map(\.id).min(), let last = polls.map(\.id).max() else { return }
        let rows = try db.makeStatement(
            sql: """
                SELECT series, poll FROM unknown
                WHERE poll BETWEEN ? AND ? AND reason NOT IN ('old_quote', 'unconfirmed')
                """)
        try IntegerRows(db, rows, [first, last]).walk { row in
            unknown[try row.value(0, "unknown.series"), default: []].insert(try row.value(1, "unknown.poll"))
        }
    }

    /// When this series was known, oldest first, each with the longest distance to the previous one that is no hole.
    /// Polls that did not ask this source are skipped.
    func known(_ series: Int64, in rhythm: MarketRhythm, _ db: Database) throws -> [(Date, Duration)] {
        var feed: Int64?
        if case .own(let name) = rhythm.source { feed = feeds[name] ?? -1 }
        let changes = try Row.fetchAll(
            db, sql: "SELECT poll, watched FROM watch WHERE series = ? ORDER BY poll", arguments: [series])
        let watch: [(poll: Int64, watched: Bool)] = try changes.map {
            (try $0.value(0, "watch.poll"), try $0.value(1, "watch.watched"))
        }
        let unknown = unknown[series] ?? []
        var moments: [(Date, Duration)] = []
        var (place, isWatched) = (0, false)
        for poll in polls {
            while place < watch.count, watch[place].poll <= poll.id {
                isWatched = watch[place].watched
                place += 1
            }
            let asked = feed.map { $0 == poll.feed } ?? !poll.isAlone
            if asked, isWatched, !unknown.contains(poll.id) {
                moments.append(
                    (Date(milliseconds: poll.at), max(rhythm.longestStep, poll.interval * 2)))
            }
        }
        return moments
    }

    /// The hours with a candle from before the oldest poll that was kept.
    func candleHours(_ series: Int64, _ db: Database) throws -> [Range<Date>] {
        let oldest = try db.cachedStatement(sql: "SELECT at FROM poll WHERE NOT backfilled ORDER BY id LIMIT 1")
        guard let kept: Date = try oldest.value("poll.at") else { return [] }
        let (first, last) = (Hour.of(period.lowerBound.milliseconds), Hour.of(kept.milliseconds))
        guard first < last else { return [] }
        let find = try db.cachedStatement(
            sql: """
                WITH RECURSIVE hours (hour) AS (SELECT ?1 UNION ALL SELECT hour + 1 FROM hours WHERE hour + 1 < ?2)
                SELECT hours.hour FROM hours CROSS JOIN candle ON candle.hour = hours.hour AND candle.series = ?3
                """)
        return try find.values("candle.hour", [first, last, series]).map { Hour.start($0)..<Hour.start($0 + 1) }
    }
}
