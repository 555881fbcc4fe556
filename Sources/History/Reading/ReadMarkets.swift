import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// The currencies in which a price of this market was recorded.
    package func currencies(of market: MarketID) throws(HistoryError) -> [Currency] {
        try read { db in
            try db.values(
                "series.currency",
                """
                SELECT currency FROM series
                WHERE market = ? AND (
                    newest_candle IS NOT NULL
                    OR EXISTS (SELECT 1 FROM poll JOIN sample ON sample.id = (poll.id << 20) + series.id))
                ORDER BY id
                """, [market.text])
        }
    }

    /// True if no price was ever recorded.
    package func isEmpty() throws(HistoryError) -> Bool {
        try read { db in
            try db.value(
                "sample", "SELECT NOT EXISTS (SELECT 1 FROM sample) AND NOT EXISTS (SELECT 1 FROM candle)") ?? true
        }
    }

    /// The newest trusted price of every market recorded in this currency.
    ///
    /// - Parameter wanted: Only these markets; nil: all.
    package func newest(
        in currency: Currency, of wanted: Set<MarketID>? = nil
    ) throws(HistoryError) -> [MarketID: MarketBoard.Remembered] {
        try read { db in
            var left: [Int64: NamedSeries] = [:]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT id, market, symbol, name, newest_candle FROM series WHERE currency = ?",
                arguments: [currency.code])
            while let row = try rows.next() {
                guard let market = try row.value(1, "series.market", as: ListedMarket.self).id,
                    wanted?.contains(market) != false
                else { continue }
                let newestCandle = try row.value(4, "series.newest_candle", as: Int64?.self)
                left[try row.series()] = NamedSeries(
                    market: market, symbol: try row.value(2, "series.symbol"), name: try row.value(3, "series.name"),
                    newestCandle: try newestCandle.map { _ in try row.hour(4, "series.newest_candle") })
            }
            var newest: [MarketID: MarketBoard.Remembered] = [:]
            let recent = try NewestSamples.ofLastPolls(db)
            func take(_ series: Int64, _ priceSample: MarketBoard.PriceSample) {
                guard let known = left.removeValue(forKey: series) else { return }
                newest[known.market] = .init(
                    symbol: known.symbol, name: known.name, newest: priceSample,
                    confirmation: recent[series]?.confirmation ?? .settled)
            }
            // Most markets are in the last polls; the others are found through their newest candle.
            for (series, found) in recent { if let trusted = found.trusted { take(series, trusted) } }
            for (series, known) in left {
                if let priceSample = try NewestSamples.of(series, newestCandle: known.newestCandle, db) {
                    take(series, priceSample)
                }
            }
            return newest
        }
    }

    /// The largest markets, by the last answer.
    package func ranking() throws(HistoryError) -> [MarketID] {
        try read { db in
            try db.values("ranking.market", "SELECT market FROM ranking ORDER BY place", as: ListedMarket.self)
                .compactMap(\.id)
        }
    }
}

extension HistoryReader {
    /// A recorded market's names; symbols are not unique.
    package struct Name: Hashable, Sendable {
        package let market: MarketID
        package let symbol: String
        package let name: String

        /// An earlier release stored names without a length limit.
        init(market: MarketID, symbol: String, name: String) {
            self.market = market
            self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
            self.name = name.cut(toBytes: Quote.longestName)
        }
    }

    /// The names of every recorded market, in any currency, by id.
    package func names() throws(HistoryError) -> [Name] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT DISTINCT market, symbol, name FROM series ORDER BY market").compactMap {
                row in
                try row.value(0, "series.market", as: ListedMarket.self).id.map {
                    Name(
                        market: $0, symbol: try row.value(1, "series.symbol"), name: try row.value(2, "series.name"))
                }
            }
        }
    }
}

private struct NamedSeries {
    var market: MarketID
    var symbol: String
    var name: String
    var newestCandle: Int64?
}
