import Engine
import Foundation
import GRDB
import Markets

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

    /// The names of every market recorded in any currency, by id.
    package func names() throws(HistoryError) -> [Name] {
        try read { db in
            try db.all("SELECT DISTINCT market, symbol, name FROM series ORDER BY market") { row in
                Name(market: try row.value(0), symbol: try row.value(1), name: try row.value(2))
            }
        }
    }

    /// nil: it was never recorded.
    package func name(of market: MarketID) throws(HistoryError) -> Name? {
        try read { db in
            try db.all("SELECT symbol, name FROM series WHERE market = ? LIMIT 1", [market.text]) { row in
                Name(market: market, symbol: try row.value(0), name: try row.value(1))
            }.first
        }
    }

    /// The names of the markets recorded in their currencies.
    ///
    /// - Parameter wanted: Only these markets; nil: all.
    package func names(in currencies: MarketCurrencies, of wanted: Set<MarketID>?) throws(HistoryError) -> [Name] {
        try read { try Series.all($0, in: currencies, only: wanted).map(\.names) }
    }

    /// The currencies in which a price of this market was recorded.
    package func currencies(of market: MarketID) throws(HistoryError) -> [Currency] {
        try read { db in
            try db.values(
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
            try db.value("SELECT NOT EXISTS (SELECT 1 FROM sample) AND NOT EXISTS (SELECT 1 FROM candle)") ?? true
        }
    }

    /// The largest markets, by the last answer.
    package func ranking() throws(HistoryError) -> [MarketID] {
        try read { try $0.values("SELECT market FROM ranking ORDER BY place") }
    }

    /// The newest trusted price of every market recorded in its currency.
    ///
    /// - Parameter wanted: Only these markets; nil: all.
    package func newest(
        in currencies: MarketCurrencies, of wanted: Set<MarketID>? = nil
    ) throws(HistoryError) -> [MarketID: MarketBoard.Remembered] {
        try read { db in
            let recent = try NewestSamples.ofLastPolls(db)
            var newest: [MarketID: MarketBoard.Remembered] = [:]
            for series in try Series.all(db, in: currencies, only: wanted) {
                var found = recent[series.id] ?? NewestSamples()
                if found.trusted == nil { found = try .of(series, db) }
                guard let sample = found.trusted else { continue }
                newest[series.names.market] = .init(
                    symbol: series.names.symbol, name: series.names.name, newest: sample,
                    confirmation: found.confirmation)
            }
            return newest
        }
    }
}

/// The newest trusted sample of a series, and the unconfirmed ones after it, found without a scan of the whole history.
private struct NewestSamples {
    private static let lastPolls = 8

    /// Nil if there is none where it was looked for.
    private(set) var trusted: MarketBoard.PriceSample?
    private(set) var confirmation = MoveConfirmation.settled

    /// Adds a sample that is older than those before.
    private mutating func add(_ row: StoredRow) throws {
        guard trusted == nil else { return }
        let sample = try Self.priceSample(row)
        // Each poll since the trusted one that disagreed has left an unconfirmed sample.
        if try row.value(6) { trusted = sample } else { confirmation.recall(sample) }
    }

    /// By series: the samples of the last few live polls, and of the last few polls of markets with their own feed,
    /// which may have a longer interval.
    static func ofLastPolls(_ db: Database) throws -> [Int64: Self] {
        var newest: [Int64: Self] = [:]
        try db.rows(
            """
            SELECT significand, exponent, age, poll.fetched_at, feed.name, sample.id, confirmed
            FROM (
                SELECT * FROM (
                    SELECT * FROM poll WHERE NOT backfilled AND samples > 0 ORDER BY at DESC, id DESC LIMIT \(lastPolls))
                UNION
                SELECT * FROM (
                    SELECT * FROM poll WHERE alone AND NOT backfilled AND samples > 0
                    ORDER BY at DESC, id DESC LIMIT \(lastPolls))
            ) AS poll
            CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
            LEFT JOIN feed ON feed.id = poll.feed
            ORDER BY poll.at DESC, poll.id DESC
            """
        ) { row in
            try newest[try row.seriesOfSample(5), default: Self()].add(row)
        }
        return newest
    }

    static func of(_ series: Series, _ db: Database) throws -> Self {
        // Samples after the newest candle belong to the open hours.
        let open = try OpenCandles.until(db) * Hour.milliseconds
        var found = try newest(of: series.id, since: open, until: .max, db)
        guard found.trusted == nil, let hour = series.newestCandle else { return found }
        let start = hour * Hour.milliseconds
        found = try newest(of: series.id, since: start, until: start + 26 * Hour.milliseconds, db)
        guard found.trusted == nil, let candle = try CandleRows.read(hour, series.id, db) else { return found }
        // The sample was pruned; the candle's close holds its price.
        let end = Date(milliseconds: start + Hour.milliseconds - 1)
        found.trusted = MarketBoard.PriceSample(price: candle.close, quotedAt: end, fetchedAt: end, feed: "")
        return found
    }

    private static func newest(of series: Int64, since: Int64, until: Int64, _ db: Database) throws -> Self {
        var found = Self()
        try db.rows(
            """
            SELECT significand, exponent, age, poll.fetched_at, feed.name, sample.id, confirmed
            FROM poll
            CROSS JOIN sample ON sample.id = (poll.id << 20) + ?
            LEFT JOIN feed ON feed.id = poll.feed
            WHERE poll.at >= ? AND poll.at < ?
            ORDER BY poll.at DESC, poll.id DESC LIMIT \(MoveConfirmation.patience)
            """, [series, since - OpenCandles.slack, until]
        ) { try found.add($0) }
        return found
    }

    private static func priceSample(_ row: StoredRow) throws -> MarketBoard.PriceSample {
        let fetchedAt = try row.time(3)
        return MarketBoard.PriceSample(
            price: try row.price(0), quotedAt: try row.quotedAt(2, fetchedAt: fetchedAt),
            fetchedAt: Date(milliseconds: fetchedAt), feed: try row.value(4, as: String?.self) ?? "")
    }
}
