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
            let open = try openHour()
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
        do {
            try body(last)
        } catch {
            throw HistoryError(.other, "read", path, cause: String(describing: error))
        }
    }

    /// Passes the written hourly candles of every market that begin in a period to `body`, oldest first.
    package func hourlyCandles(
        in currency: Currency, since: Date, until: Date, _ body: (MarketID, Candle) -> Void
    ) throws(HistoryError) {
        try read { db in
            let markets = try SeriesIDs.markets(db, in: currency, only: nil)
            let rows = try Row.fetchCursor(
                db, sql: "SELECT hour, series, \(CandleRows.columns) FROM candle WHERE hour >= ? AND hour < ?",
                arguments: [Hour.of(since.milliseconds + Hour.milliseconds - 1), Hour.of(until.milliseconds - 1) + 1])
            while let row = try rows.next() {
                guard let market = markets[try row.value(1, "candle.series")] else { continue }
                body(market, try CandleRows.candle(row, at: 2, hour: try row.hour(0, "candle.hour")))
            }
        }
    }

    /// The start times of the hours since `since` that have candles of any of these markets or, where they are
    /// excluded, of any other market; oldest first.
    package func hoursWithCandles(
        since: Date, until: Date, of markets: [MarketID], in currency: Currency, excluded: Bool = false
    ) throws(HistoryError) -> [Date] {
        try read { db in
            let series = try SeriesIDs.markets(db, in: currency, only: Set(markets)).keys.map(String.init)
                .joined(separator: ", ")
            // One seek an hour: each hour holds a row for every market.
            let hours: [Int64] = try db.values(
                "candle.hour",
                """
                WITH RECURSIVE hours (hour) AS (
                    SELECT min(hour) FROM candle WHERE hour >= ?1
                    UNION ALL
                    SELECT (SELECT min(candle.hour) FROM candle WHERE candle.hour > hours.hour) FROM hours
                    WHERE hours.hour IS NOT NULL
                )
                SELECT hour FROM hours WHERE hour < ?2 AND EXISTS (
                    SELECT 1 FROM candle
                    WHERE candle.hour = hours.hour AND candle.series \(excluded ? "NOT" : "") IN (\(series)))
                """, [Hour.of(since.milliseconds), Hour.of(until.milliseconds)])
            return hours.map(Hour.start)
        }
    }

    /// The first hour whose candles are not written yet.
    private func openHour() throws(HistoryError) -> Int64 { try read { try OpenCandles.until($0) } }

    private func hourly(
        of market: MarketID, in currency: Currency, since: Date?, until: Date?, before open: Int64,
        _ body: (Candle) throws -> Void
    ) throws(HistoryError) {
        try read { db in
            let find = "SELECT min(hour) FROM candle"
            guard let oldest = try db.value("candle.hour", find, as: HourNumber?.self)??.number else { return }
            let first = max(oldest, since.map { Hour.of($0.milliseconds) } ?? oldest)
            let last = min(open, until.map { Hour.of($0.milliseconds - 1) + 1 } ?? open) - 1
            // One seek an hour: the key of a candle is hour, then series.
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    WITH RECURSIVE hours (hour) AS (
                        SELECT ?1 WHERE ?1 <= ?2 UNION ALL SELECT hour + 1 FROM hours WHERE hour < ?2
                    )
                    SELECT hours.hour, \(CandleRows.columns)
                    FROM hours CROSS JOIN candle ON candle.hour = hours.hour AND candle.series =
                        (SELECT id FROM series WHERE market = ?3 AND currency = ?4)
                    """, arguments: [first, last, market.text, currency.code])
            while let row = try rows.next() {
                try body(try CandleRows.candle(row, at: 1, hour: try row.hour(0, "candle.hour")))
            }
        }
    }
}
