import Foundation
import GRDB
import Markets

/// A recorded price with all that the history knows of it.
public struct RecordedSample: Hashable, Sendable {
    public var market: MarketID
    public var quotedAt: Date
    public var fetchedAt: Date
    public var price: Price
    public var currency: Currency
    public var feed: String?
    public var confirmed: Bool
}

extension HistoryReader {
    /// Hands out a market's samples, oldest quote first.
    ///
    /// - Parameters:
    ///   - since: The first moment that counts, by quote time; nil: from the beginning.
    ///   - until: The first moment that no longer counts; nil: to the end.
    public func samples(
        of market: MarketID, in currency: Currency, since: Date?, until: Date?,
        _ body: (RecordedSample) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            // A quote is never later than its poll by more than a clock's error and the poll's own length.
            let from = since.map { $0.milliseconds - OpenCandles.slack } ?? .min
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT poll.fetched_at, sample.age, significand, exponent, confirmed, feed.name
                    FROM poll
                    CROSS JOIN sample ON sample.id = (poll.id << 20) +
                        (SELECT id FROM series WHERE market = ? AND currency = ?)
                    LEFT JOIN feed ON feed.id = poll.feed
                    WHERE poll.at >= ?
                    ORDER BY poll.fetched_at - sample.age, poll.id
                    """, arguments: [market.text, currency.code, from])
            while let row = try rows.next() {
                let fetchedAt = try row.time(0, "poll.fetched_at")
                let quotedAt = try row.quotedAt(1, "sample.age", fetchedAt: fetchedAt)
                if let since, quotedAt < since { continue }
                if let until, quotedAt >= until { continue }
                try body(
                    RecordedSample(
                        market: market, quotedAt: quotedAt, fetchedAt: Date(milliseconds: fetchedAt),
                        price: try row.price(2, "sample.significand"), currency: currency,
                        feed: try row.value(5, "feed.name"), confirmed: try row.value(4, "sample.confirmed")))
            }
        }
    }

    /// Hands out every trusted sample of the polls between two moments (by poll time), oldest poll first.
    ///
    /// - Parameter wanted: Only of these markets; nil: of all.
    public func samples(
        of wanted: Set<MarketID>? = nil, in currency: Currency, polledSince since: Date, until: Date,
        _ body: (MarketID, Date, Price) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            // The daemon asks at every poll, and on its first day there is nothing in the span.
            let any = try db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM poll WHERE at >= ? AND at < ?)")
            guard try any.value("poll", [since.milliseconds, until.milliseconds]) == true else { return }
            let markets = try SeriesIDs.markets(db, in: currency, only: wanted)
            try SampleScan.all(db, polledSince: since.milliseconds, until: until.milliseconds) {
                series, quotedAt, price in
                guard let market = markets[series] else { return }
                try body(market, Date(milliseconds: quotedAt), price)
            }
        }
    }

    /// The healed prices that speak of moments between two others, by market, oldest first.
    ///
    /// - Parameter turn: Only what was recorded before the turn of this number; nil: all.
    public func healedPrices(
        in currency: Currency, since: Date, until: Date, recordedBefore turn: Int64? = nil
    ) throws(HistoryError) -> [MarketID: [PastQuote]] {
        try read { db in
            let markets = try SeriesIDs.markets(db, in: currency, only: nil)
            let scan = try db.makeStatement(
                sql: """
                    SELECT sample.id, poll.at, significand, exponent
                    FROM poll
                    CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                    WHERE poll.at >= ? AND poll.at < ? AND poll.id < ? AND backfilled ORDER BY poll.at, poll.id
                    """)
            var found: [MarketID: [PastQuote]] = [:]
            try IntegerRows(db, scan, [since.milliseconds, until.milliseconds, turn ?? .max]).walk { row in
                guard let market = markets[SampleKey.series(try row.value(0, "sample.id"))] else { return }
                found[market, default: []].append(
                    PastQuote(quotedAt: try row.value(1, "poll.at"), price: try row.price(2, "sample.significand")))
            }
            return found
        }
    }
}
