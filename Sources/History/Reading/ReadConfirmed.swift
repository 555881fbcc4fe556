import Foundation
import GRDB
import Markets

/// A confirmed sample as far as an export is concerned.
package struct ConfirmedSample: Hashable, Sendable {
    package var quotedAt: Date
    package var price: Price
    /// Whether the export has sent it, and long enough ago. A quote from more than a minute after its poll is not sent.
    package var isSent: Bool
}

/// What an export has sent, for the comparison with an engine.
extension HistoryReader {
    /// Every market that has a sample, in each of its currencies, by id.
    package func recordedSeries() throws(HistoryError) -> [(market: MarketID, currency: Currency)] {
        let all = try read { db in try Series.all(db).map { (market: $0.names.market, currency: $0.currency) } }
        return all.sorted { ($0.market.text, $0.currency.code) < ($1.market.text, $1.currency.code) }
    }

    /// The id of the newest poll that this export has sent; nil if it has sent none.
    package func newestPoll(sentBy export: String) throws(HistoryError) -> Int64? {
        try read { db in
            // A database that no daemon of this release has opened yet has no such table.
            guard try db.value("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'export')") == true else {
                return nil
            }
            return try db.value("SELECT poll FROM export WHERE name = ?", [export])
        }
    }

    /// The confirmed samples of a market, oldest quote first.
    ///
    /// - Parameters:
    ///   - since: Inclusive, by quote time.
    ///   - until: Exclusive, by quote time.
    ///   - sent: The newest poll that an export has sent. What was recorded or confirmed by later ones is not sent yet.
    ///   - settled: Answers that were complete later need not be visible yet.
    package func confirmedSamples(
        of market: MarketID, in currency: Currency, since: Date, until: Date, upTo sent: Int64, settled: Date
    ) throws(HistoryError) -> [ConfirmedSample] {
        try read { db in
            // See `newestPoll(sentBy:)`.
            let hasExports = try db.value(
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'confirmation')", as: Bool.self)
            let confirmed =
                hasExports == true
                ? "NOT EXISTS (SELECT 1 FROM confirmation AS later WHERE later.poll > ?3 AND later.sample = sample.id)"
                : "true"
            return try db.all(
                """
                SELECT poll.fetched_at, sample.age, significand, exponent,
                    poll.id <= ?3 AND poll.fetched_at < ?4 AND age >= -60000 AND \(confirmed)
                FROM poll
                CROSS JOIN sample ON sample.id = (poll.id << 20) +
                    (SELECT id FROM series WHERE market = ?1 AND currency = ?2)
                WHERE poll.at >= ?5 AND confirmed
                ORDER BY poll.fetched_at - sample.age
                """,
                [market.text, currency.code, sent, settled.milliseconds, since.milliseconds - OpenCandles.slack]
            ) { row in
                let quotedAt = try row.quotedAt(1, fetchedAt: try row.time(0))
                guard quotedAt >= since, quotedAt < until else { return nil }
                return ConfirmedSample(quotedAt: quotedAt, price: try row.price(2), isSent: try row.value(4))
            }
        }
    }
}
