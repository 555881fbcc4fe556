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

    /// The ids of one poll's samples.
    static func ids(of poll: Int64) -> ClosedRange<Int64> {
        id(poll: poll, series: 0)...id(poll: poll, series: largestSeries)
    }
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
        let find = try db.cachedStatement(
            sql: "SELECT max(ifnull((SELECT max(id) FROM poll), 0), ifnull((SELECT max(id) FROM turn), 0))")
        let last: Int64 = try find.value("poll.id") ?? 0
        guard (0..<SampleKey.largestPoll).contains(last) else {
            throw UndecodableValue(place: "poll.id", found: last.databaseValue)
        }
        return last + 1
    }

    @discardableResult
    static func insertIdleCycle(at moment: Date, _ db: Database) throws -> Int64 {
        let insert = try db.cachedStatement(sql: "INSERT INTO turn (id, at, kind) VALUES (?, ?, 'waiting')")
        try insert.execute(arguments: [try nextID(db), moment.milliseconds])
        return db.lastInsertedRowID
    }
}
