import Foundation
import GRDB
import Markets

/// Walks over trusted samples by series number, without building market names.
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
            try body(
                SampleKey.series(try row.value(0, "sample.id")), try row.time(1, "sample.age"),
                try row.price(2, "sample.significand"))
        }
    }

    /// One series' samples of some hours, in the order of their quotes.
    static func one(
        _ series: Int64, _ db: Database, hours: ClosedRange<Int64>, _ body: (_ hour: Int64, Price) -> Void
    ) throws {
        let scan = try db.cachedStatement(
            sql: """
                SELECT poll.fetched_at - sample.age AS quoted_at, significand, exponent
                FROM poll
                CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
                WHERE poll.at BETWEEN ?2 AND ?3 AND confirmed AND quoted_at >= ?4 AND quoted_at < ?5
                ORDER BY quoted_at, poll.id
                """)
        let (start, end) = (hours.lowerBound * Hour.milliseconds, (hours.upperBound + 1) * Hour.milliseconds)
        // A market that is quoted once a day may be polled long after its quote.
        let (first, last) = (start - OpenCandles.slack, end + Hour.day + Hour.milliseconds)
        let rows = try Row.fetchCursor(scan, arguments: [series, first, last, start, end])
        while let row = try rows.next() {
            body(Hour.of(try row.time(0, "sample.age")), try row.price(1, "sample.significand"))
        }
    }
}
