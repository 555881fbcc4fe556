import GRDB
import Markets

/// The small numbers that stand for market and currency in the samples, kept from poll to poll.
struct SeriesIDs {
    private let currency: Currency
    private var known: [MarketID: Entry] = [:]

    private struct Entry {
        var id: Int64
        var symbol: String
        var name: String
    }

    init(_ db: Database, currency: Currency) throws {
        self.currency = currency
        let all = try db.cachedStatement(sql: "SELECT id, market, symbol, name FROM series WHERE currency = ?")
        let rows = try Row.fetchCursor(all, arguments: [currency.code])
        while let row = try rows.next() {
            guard let market = try? MarketID(row[1]) else { continue }
            known[market] = Entry(id: row[0], symbol: row[2], name: row[3])
        }
    }

    /// The number of this market, made where it has none; a changed symbol or name is taken over.
    mutating func id(of market: MarketID, symbol: String? = nil, name: String? = nil, _ db: Database) throws -> Int64 {
        guard let found = known[market] else {
            let insert = try db.cachedStatement(
                sql: "INSERT INTO series (market, currency, symbol, name) VALUES (?, ?, ?, ?)")
            try insert.execute(arguments: [market.text, currency.code, symbol ?? "", name ?? ""])
            let id = db.lastInsertedRowID
            guard id <= SampleKey.largestSeries else {
                throw DatabaseError(resultCode: .SQLITE_FULL, message: "more markets than a history can tell apart")
            }
            known[market] = Entry(id: id, symbol: symbol ?? "", name: name ?? "")
            return id
        }
        let (symbol, name) = (symbol ?? found.symbol, name ?? found.name)
        if symbol != found.symbol || name != found.name {
            let update = try db.cachedStatement(sql: "UPDATE series SET symbol = ?, name = ? WHERE id = ?")
            try update.execute(arguments: [symbol, name, found.id])
            known[market] = Entry(id: found.id, symbol: symbol, name: name)
        }
        return found.id
    }

    /// The markets behind the numbers.
    static func markets(_ db: Database, in currency: Currency, only wanted: Set<MarketID>?) throws -> [Int64: MarketID]
    {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, market FROM series WHERE currency = ?", arguments: [currency.code])
        var markets: [Int64: MarketID] = [:]
        while let row = try rows.next() {
            guard let market = try? MarketID(row[1]), wanted?.contains(market) != false else { continue }
            markets[row[0]] = market
        }
        return markets
    }
}
