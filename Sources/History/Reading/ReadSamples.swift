import Engine
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
        let (since, until) = (since ?? .distantPast, until ?? .distantFuture)
        try read { db in
            try db.rows(
                """
                SELECT poll.fetched_at, sample.age, significand, exponent, confirmed, feed.name
                FROM poll
                CROSS JOIN sample ON sample.id = (poll.id << 20) +
                    (SELECT id FROM series WHERE market = ? AND currency = ?)
                LEFT JOIN feed ON feed.id = poll.feed
                WHERE poll.at >= ?
                ORDER BY poll.fetched_at - sample.age, poll.id
                """,
                // A quote is later than its poll by at most a clock's error and the duration of the poll.
                [market.text, currency.code, since.milliseconds - OpenCandles.slack]
            ) { row in
                let fetchedAt = try row.time(0)
                let quotedAt = try row.quotedAt(1, fetchedAt: fetchedAt)
                guard quotedAt >= since, quotedAt < until else { return }
                try body(
                    RecordedSample(
                        market: market, quotedAt: quotedAt, fetchedAt: Date(milliseconds: fetchedAt),
                        price: try row.price(2), currency: currency, feed: try row.value(5),
                        confirmed: try row.value(4)))
            }
        }
    }

    /// The trusted samples of the polls that began in a range, oldest poll first. Those of a portfolio from before its
    /// amounts were edited are left out.
    package func pastPrices(
        in currencies: MarketCurrencies, polledIn polled: Range<Date>
    ) throws(HistoryError) -> [PastPrice] {
        var prices: [PastPrice] = []
        try samples(in: currencies, polled.lowerBound, polled.upperBound, where: "confirmed") {
            prices.append(PastPrice($0, quotedAt: $1, price: $2))
        }
        return prices
    }

    /// The backfilled prices between two moments, by market, oldest first.
    package func backfilledPrices(
        in currencies: MarketCurrencies, since: Date, until: Date
    ) throws(HistoryError) -> [MarketID: [PastQuote]] {
        var found: [MarketID: [PastQuote]] = [:]
        try samples(in: currencies, since, until, where: "backfilled") { market, quotedAt, price in
            found[market, default: []].append(PastQuote(quotedAt: quotedAt, price: price))
        }
        return found
    }

    private func samples(
        in currencies: MarketCurrencies, _ since: Date, _ until: Date, where condition: String,
        _ body: (MarketID, Date, Price) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            // The daemon reads this at every poll; on its first day the span is empty.
            let any = "SELECT EXISTS (SELECT 1 FROM poll WHERE at >= ? AND at < ?)"
            guard try db.value(any, [since.milliseconds, until.milliseconds]) == true else { return }
            let markets = try Series.markets(db, in: currencies)
            let hasPortfolios = try !ComputedSeries.all(db).isEmpty
            try SampleScan.all(
                db, polledSince: since.milliseconds, until: until.milliseconds,
                where: hasPortfolios ? "\(condition) AND \(ComputedSeries.counts)" : condition
            ) { series, quotedAt, price in
                guard let market = markets[series] else { return }
                try body(market, Date(milliseconds: quotedAt), price)
            }
        }
    }

    /// Passes the trusted samples of a few evenly spaced polls of a period to `body`, oldest first for each market. The
    /// cost depends on `polls`, not on the poll interval.
    ///
    /// - Parameter polls: The maximum number of polls of the shared source, and again of all others; at least one.
    package func glance(
        in currencies: MarketCurrencies, polledSince since: Date, polls: Int, _ body: (MarketID, Date, Price) -> Void
    ) throws(HistoryError) {
        try read { db in
            let markets = try Series.markets(db, in: currencies)
            // The newest poll is always included.
            try db.rows(
                """
                SELECT sample.id, poll.fetched_at - age, significand, exponent
                FROM (
                    SELECT *, row_number() OVER (PARTITION BY alone ORDER BY at DESC, id DESC) - 1 AS place,
                        count(*) OVER (PARTITION BY alone) AS polls
                    FROM poll WHERE at >= ?1 AND samples > 0 AND NOT backfilled
                ) AS poll
                CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                WHERE place % ((polls + ?2 - 1) / ?2) = 0 AND confirmed ORDER BY poll.at, poll.id
                """, [since.milliseconds, max(1, polls)]
            ) { row in
                guard let market = markets[try row.seriesOfSample(0)] else { return }
                body(market, try row.value(1), try row.price(2))
            }
        }
    }
}
