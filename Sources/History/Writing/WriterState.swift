import Engine
import GRDB
import Markets

/// What the writer keeps in memory between transactions, to save reads.
struct WriterState {
    /// `data_version` when this state was read; it changes when another process writes.
    private let version: Int64
    var series: SeriesIDs
    var candles: OpenCandles
    var portfolios: [Int64: ComputedSeries]
    var watchlist: WatchedSeries
    /// The ranking in the database; nil if it was not read.
    var ranking: [MarketID]?

    /// Uses `before` if it is still valid; else reads the database.
    init(after before: WriterState?, _ db: Database) throws {
        let version: Int64 = try db.value("PRAGMA data_version") ?? 0
        if let before, before.version == version {
            self = before
            return
        }
        // Figures that are in memory only must not be lost.
        try before?.candles.keepFigures(db)
        self.version = version
        series = try SeriesIDs(db)
        candles = try OpenCandles(db)
        portfolios = try ComputedSeries.all(db)
        watchlist = try WatchedSeries(db)
    }
}

/// The watched series, stored in `watch` as one row for each change.
struct WatchedSeries {
    private var series: Set<Int64>
    private var markets: WatchedMarkets?

    init(_ db: Database) throws {
        let watched = "SELECT series FROM (SELECT series, watched, max(poll) FROM watch GROUP BY series) WHERE watched"
        series = Set(try db.values(watched))
    }

    /// Records that from this poll or turn on exactly these markets are watched.
    mutating func become(
        _ watched: WatchedMarkets, from turn: Int64, _ ids: inout SeriesIDs, _ db: Database
    ) throws {
        guard watched != markets else { return }
        func id(of market: MarketID) throws -> Int64 {
            try ids.id(of: market, in: watched.currencies[market], db)
        }
        for market in watched.named {
            try db.run("UPDATE series SET named = 1 WHERE id = ? AND NOT named", [try id(of: market)])
        }
        let now = Set(try watched.all.map(id))
        for id in now.symmetricDifference(series).sorted() {
            try db.run(
                "INSERT OR REPLACE INTO watch (poll, series, watched) VALUES (?, ?, ?)", [turn, id, now.contains(id)])
        }
        series = now
        markets = watched
    }
}
