import Foundation
import GRDB
import Markets

/// Writes backfilled prices and feed notes in short transactions, whether a daemon is running or not.
package final class BackfillDatabase: BackfillStore {
    private let path: String
    private let queue: DatabaseQueue
    package let reader: HistoryReader

    /// Opens the database at `path`; throws `.absent` if there is none.
    package init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openBesideDaemon(path)
        reader = HistoryReader(path: path, queue: queue)
    }

    @discardableResult
    package func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int {
        try HistoryError.naming("record past prices in", path) {
            try queue.inImmediateTransaction { db in
                var series = try SeriesIDs(db, currency: answer.currency)
                var candles = try OpenCandles.closed(db)
                return try InsertBackfill.insert(answer, &series, &candles, db)
            }
        }
    }
}

extension BackfillDatabase: FeedNoteKeeper {
    package func note(_ name: String, of feed: String) throws(HistoryError) -> Data? {
        try reader.read { try FeedNotes.note(name, of: feed, $0) }
    }

    package func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError) {
        try HistoryError.naming("note a feed's state in", path) {
            try queue.inImmediateTransaction { try FeedNotes.keep(value, as: name, of: feed, $0) }
        }
    }

    package func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int {
        try HistoryError.naming("count a request in", path) {
            try queue.inImmediateTransaction { try FeedNotes.countRequests(count, of: feed, in: month, $0) }
        }
    }

    package func requests(of feed: String, in month: String) throws(HistoryError) -> Int {
        try reader.read { try FeedNotes.requests(of: feed, in: month, $0) }
    }
}

extension DatabaseQueue {
    /// Runs `body` in an immediate transaction, which waits for other writers before the first read.
    func inImmediateTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { db in
            var result: T?
            try db.inTransaction(.immediate) {
                result = try body(db)
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT, message: "nothing was done") }
            return result
        }
    }
}
