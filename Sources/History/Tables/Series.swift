import Foundation
import GRDB
import Markets

/// A row of the table `series`: a market in a currency.
struct Series {
    let id: Int64
    let currency: Currency
    let names: HistoryReader.Name
    /// The hour of the newest written candle.
    var newestCandle: Int64?

    /// The series in the order of their numbers.
    ///
    /// - Parameters:
    ///   - currencies: Only those in the currency of their market; nil: all.
    ///   - wanted: Only these markets; nil: all.
    static func all(
        _ db: Database, in currencies: MarketCurrencies? = nil, only wanted: Set<MarketID>? = nil
    ) throws -> [Series] {
        try db.all("SELECT id, market, symbol, name, newest_candle, currency FROM series ORDER BY id") { row in
            let (market, currency): (MarketID, Currency) = (try row.value(1), try row.value(5))
            guard wanted?.contains(market) != false else { return nil }
            if let currencies, currencies[market] != currency { return nil }
            let names = HistoryReader.Name(market: market, symbol: try row.value(2), name: try row.value(3))
            let hasCandle = try row.value(4, as: Int64?.self) != nil
            return Series(
                id: try row.series(0), currency: currency, names: names, newestCandle: hasCandle ? try row.hour(4) : nil
            )
        }
    }

    /// The markets by series number.
    static func markets(
        _ db: Database, in currencies: MarketCurrencies, only wanted: Set<MarketID>? = nil
    ) throws -> [Int64: MarketID] {
        let pairs = try all(db, in: currencies, only: wanted).map { ($0.id, $0.names.market) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

/// The series numbers of markets, cached between polls.
struct SeriesIDs {
    private var known: [Currency: [MarketID: Series]] = [:]

    init(_ db: Database) throws {
        for series in try Series.all(db) { known[series.currency, default: [:]][series.names.market] = series }
    }

    /// The series number of this market, created if missing; updates a changed symbol or name.
    mutating func id(
        of market: MarketID, in currency: Currency, symbol: String? = nil, name: String? = nil, _ db: Database
    ) throws -> Int64 {
        guard let found = known[currency]?[market] else {
            try db.run(
                "INSERT INTO series (market, currency, symbol, name) VALUES (?, ?, ?, ?)",
                [market.text, currency.code, symbol ?? "", name ?? ""])
            let id = db.lastInsertedRowID
            guard id <= SampleKey.largestSeries else {
                throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: "all series numbers are in use")
            }
            known[currency, default: [:]][market] = Series(
                id: id, currency: currency, names: .init(market: market, symbol: symbol ?? "", name: name ?? ""))
            return id
        }
        let (symbol, name) = (symbol ?? found.names.symbol, name ?? found.names.name)
        if symbol != found.names.symbol || name != found.names.name {
            try db.run("UPDATE series SET symbol = ?, name = ? WHERE id = ?", [symbol, name, found.id])
            known[currency]?[market] = Series(
                id: found.id, currency: currency, names: .init(market: market, symbol: symbol, name: name))
        }
        return found.id
    }

    /// Forgets series that were deleted from the database.
    mutating func forget(_ ids: Set<Int64>) {
        known = known.mapValues { $0.filter { !ids.contains($0.value.id) } }
    }
}

/// The numbers of feeds in the table `poll`.
enum FeedIDs {
    /// The number of this feed, created if missing.
    static func id(of feed: String, _ db: Database) throws -> Int64 {
        if let id: Int64 = try db.value("SELECT id FROM feed WHERE name = ?", [feed]) { return id }
        try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [feed])
        return db.lastInsertedRowID
    }
}
