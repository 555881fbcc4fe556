import Foundation
import GRDB
import Markets

/// Writes healed prices and what feeds remember, beside a daemon or without one, in short transactions.
public final class HealingDesk: HealingStore {
    private let path: String
    private let queue: DatabaseQueue
    public let reader: HistoryReader

    /// Opens the database at `path`; throws `.absent` where nothing was ever recorded.
    public init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openBesideDaemon(path)
        reader = HistoryReader(path: path, queue: queue)
    }

    @discardableResult
    public func heal(_ healing: Healing) throws(HistoryError) -> Int {
        try HistoryError.naming("record past prices in", path) {
            try queue.inImmediateTransaction { db in
                var series = try SeriesIDs(db, currency: healing.currency)
                var candles = try OpenCandles.closed(db)
                return try Heal.insert(healing, &series, &candles, db)
            }
        }
    }
}

extension HealingDesk: FeedNoteKeeper {
    public func note(_ name: String, of feed: String) throws(HistoryError) -> Data? {
        try reader.read { try FeedNotes.note(name, of: feed, $0) }
    }

    public func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError) {
        try HistoryError.naming("note a feed's state in", path) {
            try queue.inImmediateTransaction { try FeedNotes.keep(value, as: name, of: feed, $0) }
        }
    }

    public func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int {
        try HistoryError.naming("count a request in", path) {
            try queue.inImmediateTransaction { try FeedNotes.countRequests(count, of: feed, in: month, $0) }
        }
    }

    public func requests(of feed: String, in month: String) throws(HistoryError) -> Int {
        try reader.read { try FeedNotes.requests(of: feed, in: month, $0) }
    }
}

extension DatabaseQueue {
    /// Waits for others who write before it reads anything, and returns what `body` does.
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
