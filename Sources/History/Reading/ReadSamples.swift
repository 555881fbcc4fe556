import Foundation
import GRDB
import Markets

/// A recorded price with everything stored about it.
package struct RecordedSample: Hashable, Sendable {
    package var market: MarketID
    package var quotedAt: Date
    package var fetchedAt: Date
    package var price: Price
    package var currency: Currency
    package var feed: String?
    package var confirmed: Bool
}

extension HistoryReader {
    /// Passes a market's samples to `body`, oldest quote first.
    ///
    /// - Parameters:
    ///   - since: Inclusive, by quote time; nil: from the beginning.
    ///   - until: Exclusive, by quote time; nil: to the end.
    package func samples(
        of market: MarketID, in currency: Currency, since: Date?, until: Date?,
        _ body: (RecordedSample) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            // A quote is later than its poll by at most a clock's error and the duration of the poll.
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

    /// Passes every trusted sample of the polls between two moments (by poll time) to `body`, oldest poll first.
    ///
    /// - Parameter wanted: Only these markets; nil: all.
    package func samples(
        of wanted: Set<MarketID>? = nil, in currency: Currency, polledSince since: Date, until: Date,
        _ body: (MarketID, Date, Price) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            // The daemon reads this at every poll; on its first day the span is empty.
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

    /// The backfilled prices between two moments, by market, oldest first.
    package func backfilledPrices(
        in currency: Currency, since: Date, until: Date
    ) throws(HistoryError) -> [MarketID: [PastQuote]] {
        try read { db in
            let markets = try SeriesIDs.markets(db, in: currency, only: nil)
            let scan = try db.makeStatement(
                sql: """
                    SELECT sample.id, poll.at, significand, exponent
                    FROM poll
                    CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                    WHERE poll.at >= ? AND poll.at < ? AND backfilled ORDER BY poll.at, poll.id
                    """)
            var found: [MarketID: [PastQuote]] = [:]
            try IntegerRows(db, scan, [since.milliseconds, until.milliseconds]).walk { row in
                guard let market = markets[SampleKey.series(try row.value(0, "sample.id"))] else { return }
                found[market, default: []].append(
                    PastQuote(quotedAt: try row.value(1, "poll.at"), price: try row.price(2, "sample.significand")))
            }
            return found
        }
    }
}
