import Engine
import Foundation
import GRDB
import Markets

/// The result of one poll for one market.
package struct PolledMarket: Hashable, Sendable {
    /// When the poll's answer was complete.
    package var polledAt: Date
    package var isBackfilled: Bool
    package var finding: Finding

    package enum Finding: Hashable, Sendable {
        /// A new and trusted price.
        case quoted(at: Date, Price)
        /// The provider answered with the price already known.
        case unchanged
        /// No usable price in the answer, or no answer.
        case nothing
    }

    package init(polledAt: Date, isBackfilled: Bool = false, finding: Finding) {
        self.polledAt = polledAt
        self.isBackfilled = isBackfilled
        self.finding = finding
    }
}

extension HistoryReader {
    /// Passes the result of each poll for a market to `body`, oldest first.
    ///
    /// - Parameters:
    ///   - since: Inclusive: by quote time for a price, by poll time for anything else.
    ///   - until: Exclusive.
    ///   - source: The market's current source; polls of other sources are skipped.
    package func polls(
        of market: MarketID, in currency: Currency, since: Date, until: Date, source: SourceID = .shared,
        _ body: (PolledMarket) -> Void
    ) throws(HistoryError) {
        try read { db in
            let series: Int64? = try db.value(
                "series.id", "SELECT id FROM series WHERE market = ? AND currency = ?", [market.text, currency.code])
            guard let series else { return }
            let scan = try db.makeStatement(
                sql: """
                    SELECT poll.fetched_at, backfilled, outcome = 'failed', sample.id IS NOT NULL, significand, exponent,
                        age, unknown.poll IS NOT NULL
                    FROM poll
                    LEFT JOIN sample ON sample.id = (poll.id << 20) + ?1 AND confirmed
                    LEFT JOIN unknown ON unknown.poll = poll.id AND unknown.series = ?1
                        AND reason NOT IN ('old_quote', 'unconfirmed')
                    WHERE poll.at >= ?2
                        AND (sample.id IS NOT NULL OR CASE ?3 WHEN 0 THEN NOT alone ELSE poll.feed = ?3 END)
                    ORDER BY poll.at, poll.id
                    """)
            var feed: Int64 = 0
            if case .own(let name) = source {
                feed = try db.value("feed.id", "SELECT id FROM feed WHERE name = ?", [name]) ?? -1
            }
            // A quote is later than its poll by at most a clock's error and the duration of the poll.
            let from = since.milliseconds - OpenCandles.slack
            try IntegerRows(db, scan, [series, from, feed]).walk { row in
                let fetchedAt = try row.time(0, "poll.fetched_at")
                let polledAt = Date(milliseconds: fetchedAt)
                let isPrice: Bool = try row.value(3, "sample.id")
                let quotedAt = isPrice ? try row.quotedAt(6, "sample.age", fetchedAt: fetchedAt) : polledAt
                guard quotedAt >= since, quotedAt < until else { return }
                let price = isPrice ? try row.price(4, "sample.significand") : nil
                let isBackfilled: Bool = try row.value(1, "poll.backfilled")
                // A backfilled row holds prices of some markets only and says nothing of the others.
                if price == nil, isBackfilled { return }
                let (isFailed, isUnknown): (Bool, Bool) = (
                    try row.value(2, "poll.outcome"), try row.value(7, "unknown.poll")
                )
                let finding: PolledMarket.Finding =
                    price.map { .quoted(at: quotedAt, $0) } ?? (isFailed || isUnknown ? .nothing : .unchanged)
                body(PolledMarket(polledAt: polledAt, isBackfilled: isBackfilled, finding: finding))
            }
        }
    }
}

extension HistoryReader {
    /// Passes the trusted samples of a few evenly spaced polls of a period to `body`, oldest first for each market. The
    /// cost depends on `polls`, not on the poll interval.
    ///
    /// - Parameter polls: The maximum number of polls of the shared source, and again of all others.
    package func glance(
        in currency: Currency, polledSince since: Date, polls: Int, _ body: (MarketID, Date, Price) -> Void
    ) throws(HistoryError) {
        try read { db in
            let found = try ["NOT alone", "alone"].map { source in
                try db.values(
                    "poll.id",
                    "SELECT id FROM poll WHERE \(source) AND at >= ? AND samples > 0 AND NOT backfilled ORDER BY at, id",
                    [since.milliseconds], as: Int64.self)
            }
            guard found.contains(where: { !$0.isEmpty }), polls > 0 else { return }
            let markets = try SeriesIDs.markets(db, in: currency, only: nil)
            let scan = try db.makeStatement(
                sql: """
                    SELECT sample.id, poll.fetched_at - age, significand, exponent
                    FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                    WHERE poll.id = ? AND confirmed
                    """)
            for ids in found where !ids.isEmpty {
                let step = max(1, (ids.count + polls - 1) / polls)
                // The newest poll is always included.
                for index in stride(from: (ids.count - 1) % step, to: ids.count, by: step) {
                    try IntegerRows(db, scan, [ids[index]]).walk { row in
                        guard let market = markets[SampleKey.series(try row.value(0, "sample.id"))] else { return }
                        body(market, try row.value(1, "sample.age"), try row.price(2, "sample.significand"))
                    }
                }
            }
        }
    }
}
