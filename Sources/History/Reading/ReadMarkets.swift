import Foundation
import GRDB
public import Markets

extension HistoryReader {
    /// The currencies in which anything was recorded of this market.
    public func currencies(of market: MarketID) throws(HistoryError) -> [Currency] {
        try read { db in
            try String.fetchAll(
                db, sql: "SELECT currency FROM series WHERE market = ? ORDER BY id", arguments: [market.text]
            ).compactMap { try? Currency($0) }
        }
    }

    /// The newest trusted price of every market recorded in this currency.
    ///
    /// - Parameter wanted: Only of these markets; nil: of all.
    public func newest(
        in currency: Currency, of wanted: Set<MarketID>? = nil
    ) throws(HistoryError) -> [MarketID: MarketBoard.Remembered] {
        try read { db in
            var left: [Int64: NamedSeries] = [:]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT id, market, symbol, name, newest_candle FROM series WHERE currency = ?",
                arguments: [currency.code])
            while let row = try rows.next() {
                guard let market = try? MarketID(row[1]), wanted?.contains(market) != false else { continue }
                left[row[0]] = NamedSeries(market: market, symbol: row[2], name: row[3], newestCandle: row[4])
            }
            var newest: [MarketID: MarketBoard.Remembered] = [:]
            let recent = try NewestSamples.ofLastPolls(db)
            func take(_ series: Int64, _ sighting: MarketBoard.Sighting) {
                guard let known = left.removeValue(forKey: series) else { return }
                newest[known.market] = .init(
                    symbol: known.symbol, name: known.name, newest: sighting,
                    confirmation: recent[series]?.confirmation ?? .settled)
            }
            // Most markets stand in the last polls; others are found by way of their last candle.
            for (series, found) in recent { if let trusted = found.trusted { take(series, trusted) } }
            for (series, known) in left {
                if let sighting = try NewestSamples.of(series, newestCandle: known.newestCandle, db) {
                    take(series, sighting)
                }
            }
            return newest
        }
    }

    /// The largest markets as they were last answered.
    public func ranking() throws(HistoryError) -> [MarketID] {
        try read { db in
            try String.fetchAll(db, sql: "SELECT market FROM ranking ORDER BY place").compactMap { try? MarketID($0) }
        }
    }
}

extension HistoryReader {
    /// What a recorded market is called; symbols are not unique.
    public struct Name: Hashable, Sendable {
        public var market: MarketID
        public var symbol: String
        public var name: String
    }

    /// The names of every market ever recorded, in any currency, by id.
    public func names() throws(HistoryError) -> [Name] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT DISTINCT market, symbol, name FROM series ORDER BY market").compactMap {
                row in
                (try? MarketID(row[0])).map { Name(market: $0, symbol: row[1], name: row[2]) }
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
