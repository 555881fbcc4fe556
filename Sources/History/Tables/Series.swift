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

/// A row of the table `portfolio`.
struct ComputedSeries {
    let amounts: String
    private let poll: Int64
    private let hour: Int64

    /// By series; empty where no portfolio was ever recorded.
    static func all(_ db: Database) throws -> [Int64: ComputedSeries] {
        let rows = try db.all("SELECT series, amounts, poll, hour FROM portfolio") { row in
            (
                try row.series(0),
                ComputedSeries(amounts: try row.value(1), poll: try row.value(2), hour: try row.hour(3))
            )
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// Writes that the samples of a series are computed from these amounts, from this poll on.
    init(_ amounts: String, of series: Int64, from poll: Int64, fetchedAt: Int64, _ db: Database) throws {
        self.init(amounts: amounts, poll: poll, hour: Hour.of(fetchedAt) + 1)
        try db.run(
            "INSERT OR REPLACE INTO portfolio (series, amounts, poll, hour) VALUES (?, ?, ?, ?)",
            [series, amounts, poll, hour])
    }

    private init(amounts: String, poll: Int64, hour: Int64) {
        (self.amounts, self.poll, self.hour) = (amounts, poll, hour)
    }

    /// A condition on `sample`: it is of the amounts in force.
    static let counts = "sample.id >> 20 >= ifnull((SELECT poll FROM portfolio WHERE series = sample.id & 1048575), 0)"

    func counts(poll: Int64) -> Bool { poll >= self.poll }
    func counts(hour: Int64) -> Bool { hour >= self.hour }
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
