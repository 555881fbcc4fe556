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
    public func newest(in currency: Currency) throws(HistoryError) -> [MarketID: MarketBoard.Remembered] {
        try read { db in
            var left = Set(
                try Int64.fetchAll(db, sql: "SELECT id FROM series WHERE currency = ?", arguments: [currency.code]))
            var newest: [MarketID: MarketBoard.Remembered] = [:]
            // Most markets stand in the last polls; one that has left stands further back. Walking back in
            // growing strides reads no more than it must.
            var until = try Int64.fetchOne(db, sql: "SELECT max(id) FROM poll") ?? 0
            var stride: Int64 = 4
            while !left.isEmpty, until > 0 {
                let rows = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT sample.series, max(sample.poll), series.market, series.symbol, series.name, significand,
                               exponent, age, poll.fetched_at, feed.name
                        FROM sample
                        JOIN series ON series.id = sample.series AND series.currency = ?
                        JOIN poll ON poll.id = sample.poll
                        LEFT JOIN feed ON feed.id = poll.feed
                        WHERE sample.poll > ? AND sample.poll <= ? AND confirmed
                        GROUP BY sample.series
                        """, arguments: [currency.code, until - stride, until])
                while let row = try rows.next() {
                    guard left.remove(row[0]) != nil, let market = try? MarketID(row[2]),
                        let price = Price(significand: row[5], exponent: row[6])
                    else { continue }
                    let fetchedAt: Int64 = row[8]
                    newest[market] = MarketBoard.Remembered(
                        symbol: row[3], name: row[4],
                        newest: MarketBoard.Sighting(
                            price: price, quotedAt: Date(milliseconds: fetchedAt - row[7]),
                            fetchedAt: Date(milliseconds: fetchedAt), feed: row[9] ?? ""))
                }
                until -= stride
                stride *= 4
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
