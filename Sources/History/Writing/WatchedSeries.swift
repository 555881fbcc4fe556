import GRDB
import Markets

/// Which series are watched, as the rows of `watch` have it: one where that changed, none where it did not.
struct WatchedSeries {
    private var series: Set<Int64>
    private var markets: [MarketID]?

    init(_ db: Database) throws {
        series = try Int64.fetchSet(
            db, sql: "SELECT series FROM (SELECT series, watched, max(poll) FROM watch GROUP BY series) WHERE watched")
    }

    /// Notes that from `poll` on these markets are watched, and no others.
    mutating func become(_ watched: [MarketID], from poll: Int64, _ ids: inout SeriesIDs, _ db: Database) throws {
        guard watched != markets else { return }
        var now: Set<Int64> = []
        for market in watched { now.insert(try ids.id(of: market, db)) }
        let insert = try db.cachedStatement(
            sql: "INSERT OR REPLACE INTO watch (poll, series, watched) VALUES (?, ?, ?)")
        for id in now.symmetricDifference(series).sorted() {
            try insert.execute(arguments: [poll, id, now.contains(id)])
        }
        series = now
        markets = watched
    }
}
