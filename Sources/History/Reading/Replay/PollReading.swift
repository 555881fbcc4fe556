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
            guard let place = series.place(of: row[0]),
                let price = Price(significand: row[1], exponent: Int(row[2]))
            else { return }
            found.append(.init(market: place, quotedAt: Date(milliseconds: fetchedAt - row[3]), price: price))
        }
        return found
    }

    func unknown(of poll: Int64) throws -> [(market: Int, reason: UnknownReason)] {
        var found: [(market: Int, reason: UnknownReason)] = []
        let rows = try Row.fetchCursor(unknown, arguments: [poll])
        while let row = try rows.next() {
            guard let place = series.place(of: row[0]), let reason = UnknownReason(rawValue: row[1]) else { continue }
            found.append((place, reason))
        }
        return found
    }
}
