import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// Passes a market's candles of one length to `body`, oldest first, the open one included.
    ///
    /// Whole hours and their multiples come from the hourly candles, other lengths from the samples.
    ///
    /// - Parameters:
    ///   - length: At least one second.
    ///   - since: The first candle is the one that contains this moment; nil: from the beginning.
    ///   - until: The last candle begins before this moment; nil: to the end.
    package func candles(
        of market: MarketID, in currency: Currency, every length: Duration, since: Date?, until: Date?,
        _ body: (Candle) throws -> Void
    ) throws(HistoryError) {
        var builder = CandleBuilder(length: length)
        let first = since.map { builder.start(of: $0) }
        let end = until.map { builder.start(of: $0 - .milliseconds(1)) + length }
        var samplesSince = first
        if length.inMilliseconds % Hour.milliseconds == 0 {
            // Later hours have no written candles yet.
            let open = try read { try OpenCandles.until($0) }
            samplesSince = max(first ?? Hour.start(open), Hour.start(open))
            try hourly(of: market, in: currency, since: first, until: end, before: open) { candle in
                if let done = builder.add(candle) { try body(done) }
            }
        }
        try samples(of: market, in: currency, since: samplesSince, until: end) { sample in
            guard sample.confirmed else { return }
            if let done = builder.add(sample.price, quotedAt: sample.quotedAt) { try body(done) }
        }
        guard let last = builder.finish() else { return }
        try HistoryError.naming("read", path) { try body(last) }
    }

    /// Passes the written hourly candles of every market that begin in a period to `body`, oldest first. Those of a
    /// portfolio from before its amounts were edited are left out.
    package func hourlyCandles(
        in currencies: MarketCurrencies, since: Date, until: Date, _ body: (MarketID, Candle) -> Void
    ) throws(HistoryError) {
        try read { db in
            let markets = try Series.markets(db, in: currencies)
            let portfolios = try ComputedSeries.all(db)
            try db.rows(
                "SELECT \(CandleRows.columns), hour, series FROM candle WHERE hour >= ? AND hour < ?",
                [Hour.of(since.milliseconds + Hour.milliseconds - 1), Hour.of(until.milliseconds - 1) + 1]
            ) { row in
                let series: Int64 = try row.value(12)
                guard let market = markets[series], portfolios[series]?.counts(hour: try row.hour(11)) != false else {
                    return
                }
                body(market, try CandleRows.candle(row))
            }
        }
    }

    /// - Parameter open: the first hour that is left out.
    func hourly(
        of market: MarketID, in currency: Currency, since: Date?, until: Date?, before open: Int64,
        _ body: (Candle) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            guard let oldest = try Hour.oldestCandle(db) else { return }
            let first = max(oldest, since.map { Hour.of($0.milliseconds) } ?? oldest)
            let last = min(open, until.map { Hour.of($0.milliseconds - 1) + 1 } ?? open) - 1
            // One seek an hour: the key of a candle is hour, then series.
            try db.rows(
                """
                WITH RECURSIVE hours (hour) AS (
                    SELECT ?1 WHERE ?1 <= ?2 UNION ALL SELECT hour + 1 FROM hours WHERE hour < ?2
                )
                SELECT \(CandleRows.columns), hours.hour
                FROM hours CROSS JOIN candle ON candle.hour = hours.hour AND candle.series =
                    (SELECT id FROM series WHERE market = ?3 AND currency = ?4)
                """, [first, last, market.text, currency.code]
            ) { try body(try CandleRows.candle($0)) }
        }
    }
}
