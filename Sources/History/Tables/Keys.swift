import Foundation
import GRDB
import Markets

/// The id of a sample: its poll and its series in one integer, in that order.
enum SampleKey {
    /// Series have the lower 20 bits.
    static let bits: Int64 = 20
    static let largestSeries: Int64 = 1 << bits - 1
    /// Keeps ids far from the overflow of an `Int64`.
    static let largestPoll: Int64 = 1 << (61 - bits) - 1

    static func id(poll: Int64, series: Int64) -> Int64 { poll << bits | series }

    static func series(_ id: Int64) -> Int64 { id & largestSeries }
}

/// Hours since 1970, UTC.
enum Hour {
    static let milliseconds: Int64 = 3_600_000
    static let day = 24 * milliseconds
    /// The hours of the years with four digits.
    static let all: ClosedRange<Int64> = -17_259_936...70_389_527

    /// The hour of a time in milliseconds since 1970.
    static func of(_ moment: Int64) -> Int64 {
        moment >= 0 ? moment / milliseconds : (moment - milliseconds + 1) / milliseconds
    }

    static func start(_ hour: Int64) -> Date { Date(milliseconds: hour * milliseconds) }
}

/// Rows of the table `turn`: cycles in which no feed could be asked.
enum TurnRows {
    /// The id of the next poll or turn.
    static func nextID(_ db: Database) throws -> Int64 {
        let last: Int64? = try db.value(
            "SELECT max(id) FROM (SELECT max(id) AS id FROM poll UNION ALL SELECT max(id) FROM turn)")
        guard (0..<SampleKey.largestPoll).contains(last ?? 0) else {
            throw UndecodableValue(column: ["poll.id"], found: last?.databaseValue)
        }
        return (last ?? 0) + 1
    }

    static func insertIdleCycle(at moment: Date, _ db: Database) throws -> Int64 {
        try db.run(
            "INSERT INTO turn (id, at, kind) VALUES (?, ?, 'waiting')", [try nextID(db), moment.milliseconds])
        return db.lastInsertedRowID
    }
}
