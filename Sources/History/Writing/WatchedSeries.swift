import GRDB
import Markets

/// Which series are watched, as the rows of `watch` have it: one where that changed, none where it did not.
struct WatchedSeries {
    private var series: Set<Int64>
    private var markets: [MarketID]?

    init(_ db: Database) throws {
        let watched = "SELECT series FROM (SELECT series, watched, max(poll) FROM watch GROUP BY series) WHERE watched"
        series = Set(try db.values("watch.series", watched))
    }

    /// Notes that from `poll` on these markets are watched, and no others.
    ///
    /// - Parameter named: those of them that the configuration names.
    mutating func become(
        _ watched: [MarketID], named: [MarketID], from poll: Int64, _ ids: inout SeriesIDs, _ db: Database
    ) throws {
        guard watched != markets else { return }
        let name = try db.cachedStatement(sql: "UPDATE series SET named = 1 WHERE id = ? AND NOT named")
        for market in named {
            if let id = try ids.id(of: market, db) { try name.execute(arguments: [id]) }
        }
        var now: Set<Int64> = []
        for market in watched {
            if let id = try ids.id(of: market, db) { now.insert(id) }
        }
        let insert = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO watch (poll, series, watched) VALUES (?, ?, ?)")
        for id in now.symmetricDifference(series).sorted() {
            try insert.execute(arguments: [poll, id, now.contains(id)])
        }
        series = now
        markets = watched
    }
}
