import GRDB
import Markets

/// What the writer knows from the polls before, so that the next one reads nothing.
struct CarriedOver {
    let currency: Currency
    /// The file's version when it was read; another one where somebody beside us has written.
    private let version: Int64
    var series: SeriesIDs
    var candles: OpenCandles
    var watchlist: WatchedSeries
    /// The largest markets as they stand in the database; nil where it was not asked.
    var ranking: [MarketID]?

    /// What was known before, where it still holds; else read anew.
    init(after before: CarriedOver?, _ db: Database, currency: Currency) throws {
        let version: Int64 = try db.cachedStatement(sql: "PRAGMA data_version").value("data_version") ?? 0
        if let before, before.currency == currency, before.version == version {
            self = before
            return
        }
        // What is in memory alone must not be lost.
        if var before { try before.candles.keepLastFigures(db) }
        self.currency = currency
        self.version = version
        series = try SeriesIDs(db, currency: currency)
        candles = try OpenCandles(db)
        watchlist = try WatchedSeries(db)
    }
}
