import Foundation
import GRDB
import Markets

/// Walks over trusted samples, without a name for each.
enum SampleScan {
    /// Every series, poll by poll; times in milliseconds.
    static func all(
        _ db: Database, polledSince since: Int64, until: Int64 = .max,
        _ body: (_ series: Int64, _ quotedAt: Int64, Price) throws -> Void
    ) throws {
        let scan = try db.cachedStatement(
            sql: """
                SELECT sample.id, poll.fetched_at - sample.age, significand, exponent
                FROM poll
                CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                WHERE poll.at >= ? AND poll.at < ? AND confirmed
                ORDER BY poll.at, poll.id
                """)
        try IntegerRows(db, scan, [since, until]).walk { row in
            guard let price = Price(significand: row[2], exponent: Int(row[3])) else { return }
            try body(SampleKey.series(row[0]), row[1], price)
        }
    }

    /// One series' samples of one hour, in the order of their quotes.
    static func one(_ series: Int64, _ db: Database, hour: Int64, _ body: (Price) -> Void) throws {
        let scan = try db.cachedStatement(
            sql: """
                SELECT significand, exponent
                FROM poll
                CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
                WHERE poll.at BETWEEN ?2 AND ?3 AND confirmed AND (poll.fetched_at - sample.age) / 3600000 = ?4
                ORDER BY poll.fetched_at - sample.age, poll.id
                """)
        let start = hour * Hour.milliseconds
        // A market that is quoted once a day may be polled long after its quote.
        let (first, last) = (start - OpenCandles.slack, start + 26 * Hour.milliseconds)
        let rows = try Row.fetchCursor(scan, arguments: [series, first, last, hour])
        while let row = try rows.next() {
            if let price = Price(significand: row[0], exponent: row[1]) { body(price) }
        }
    }
}
