import Engine
import Foundation
import GRDB
import Markets

/// Reads what polls said, one after the other, with statements prepared once.
struct PollReading {
    private let db: Database
    private let series: ReplaySeries
    private let samples: Statement
    private let unknown: Statement

    init(_ series: ReplaySeries, _ db: Database) throws {
        self.db = db
        self.series = series
        samples = try db.makeStatement(
            sql: """
                SELECT id & \(SampleKey.largestSeries), significand, exponent, age FROM sample
                WHERE \(series.samplesOfPoll) ORDER BY id
                """)
        unknown = try db.makeStatement(sql: "SELECT series, reason FROM unknown WHERE poll = ?")
    }

    /// - Parameter fetchedAt: of the poll, in milliseconds.
    func samples(of poll: Int64, fetchedAt: Int64) throws -> [RecordedPoll.Sample] {
        var found: [RecordedPoll.Sample] = []
        found.reserveCapacity(series.names.count)
        try IntegerRows(db, samples, [poll]).walk { row in
            guard let place = series.place(of: try row.value(0, "sample.id")) else { return }
            found.append(
                .init(
                    market: place, quotedAt: try row.quotedAt(3, "sample.age", fetchedAt: fetchedAt),
                    price: try row.price(1, "sample.significand")))
        }
        return found
    }

    func unknown(of poll: Int64) throws -> [(market: Int, reason: UnknownReason)] {
        var found: [(market: Int, reason: UnknownReason)] = []
        let rows = try Row.fetchCursor(unknown, arguments: [poll])
        while let row = try rows.next() {
            guard let place = series.place(of: try row.value(0, "unknown.series")) else { continue }
            found.append((place, try row.value(1, "unknown.reason")))
        }
        return found
    }
}
