import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Writes a turn in which nobody was asked.
    public func record(_ wait: WaitRecord) throws(HistoryError) {
        try write("record a turn in", carrying: wait.currency) { memory, db in
            try noteStart(wait.daemonStart, db)
            let id = try TurnRows.insert(.waiting, at: wait.at, db)
            if let watched = wait.watched {
                try memory.watchlist.become(watched, named: wait.named, from: id, &memory.series, db)
            }
            try store(wait.alerts, db)
        }
    }

    /// Notes that from now on the windows know all that is healed so far, as they do after a start.
    public func noteRecall(at moment: Date) throws(HistoryError) {
        try write("note a turn in") { db in _ = try TurnRows.insert(.recalled, at: moment, db) }
    }

    func noteStart(_ moment: Date?, _ db: Database) throws {
        if let moment { try TurnRows.insert(.start, at: moment, db) }
    }
}

/// Rows of the table `turn`.
enum TurnRows {
    enum Kind: String, StoredValue {
        case start, waiting, recalled
    }

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
    static func insert(_ kind: Kind, at moment: Date, _ db: Database) throws -> Int64 {
        let insert = try db.cachedStatement(sql: "INSERT INTO turn (id, at, kind) VALUES (?, ?, ?)")
        try insert.execute(arguments: [try nextID(db), moment.milliseconds, kind.rawValue])
        return db.lastInsertedRowID
    }
}
