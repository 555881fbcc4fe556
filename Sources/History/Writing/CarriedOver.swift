import GRDB
import Markets

/// What the writer knows from the polls before, so that the next one reads nothing.
struct CarriedOver {
    let currency: Currency
    var series: SeriesIDs
    var candles: OpenCandles
    var watchlist: WatchedSeries
    /// The largest markets as they stand in the database; nil where it was not asked.
    var ranking: [MarketID]?

    init(_ db: Database, currency: Currency) throws {
        self.currency = currency
        series = try SeriesIDs(db, currency: currency)
        candles = try OpenCandles(db)
        watchlist = try WatchedSeries(db)
    }
}
