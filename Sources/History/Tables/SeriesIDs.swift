import GRDB
import Markets

/// The series numbers of markets, cached between polls.
struct SeriesIDs {
    private let currency: Currency
    private var known: [MarketID: Entry] = [:]
    /// All smaller numbers are in use.
    private var free: Int64 = 1

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
            // Unbounded names of an earlier release are replaced with the next sample.
            let (symbol, name): (String, String) = (
                try row.value(2, "series.symbol"), try row.value(3, "series.name")
            )
            guard let market = try row.value(1, "series.market", as: ListedMarket.self).id else { continue }
            known[market] = Entry(
                id: try row.series(), symbol: symbol.utf8.count > Quote.longestSymbol ? "" : symbol,
                name: name.utf8.count > Quote.longestName ? "" : name)
        }
    }

    /// The series number of this market, created if missing; updates a changed symbol or name. Nil if all numbers are
    /// in use: the market is then not recorded.
    mutating func id(of market: MarketID, symbol: String? = nil, name: String? = nil, _ db: Database) throws -> Int64? {
        guard let found = known[market] else {
            guard let id = try freeNumber(db) else { return nil }
            let insert = try db.cachedStatement(
                sql: "INSERT INTO series (id, market, currency, symbol, name) VALUES (?, ?, ?, ?, ?)")
            try insert.execute(arguments: [id, market.text, currency.code, symbol ?? "", name ?? ""])
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

    /// The next number after the largest; once that is used up, the smallest free one.
    private mutating func freeNumber(_ db: Database) throws -> Int64? {
        let find = try db.cachedStatement(sql: "SELECT ifnull(max(id), 0) FROM series")
        let last: Int64 = try find.value("series.id") ?? 0
        if last < SampleKey.largestSeries { return last + 1 }
        let free = try db.cachedStatement(
            sql: """
                SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM series WHERE id = ?1)
                UNION ALL
                SELECT id + 1 FROM series AS taken
                WHERE id >= ?1 AND id < \(SampleKey.largestSeries)
                    AND NOT EXISTS (SELECT 1 FROM series WHERE id = taken.id + 1)
                LIMIT 1
                """)
        let found: Int64? = try free.value("series.id", [self.free])
        self.free = found ?? SampleKey.largestSeries
        return found
    }

    /// Forgets series that were deleted from the database.
    mutating func forget(_ ids: Set<Int64>) {
        known = known.filter { !ids.contains($0.value.id) }
        free = 1
    }

    /// The markets by series number.
    static func markets(_ db: Database, in currency: Currency, only wanted: Set<MarketID>?) throws -> [Int64: MarketID]
    {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, market FROM series WHERE currency = ?", arguments: [currency.code])
        var markets: [Int64: MarketID] = [:]
        while let row = try rows.next() {
            guard let market = try row.value(1, "series.market", as: ListedMarket.self).id,
                wanted?.contains(market) != false
            else { continue }
            markets[try row.series()] = market
        }
        return markets
    }
}

/// The numbers of feeds in the table `poll`.
enum FeedIDs {
    /// The number of this feed, created if missing.
    static func id(of feed: String, _ db: Database) throws -> Int64 {
        let find = try db.cachedStatement(sql: "SELECT id FROM feed WHERE name = ?")
        if let id: Int64 = try find.value("feed.id", [feed]) { return id }
        try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [feed])
        return db.lastInsertedRowID
    }
}
