import Foundation
import GRDB

/// What feeds remember across restarts: cooldowns, request counts and stored answers, by name.
package protocol FeedNoteKeeper: Sendable {
    func note(_ name: String, of feed: String) throws(HistoryError) -> Data?
    /// Stores `value` under `name`, replacing the old value; nil deletes it.
    func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError)
    /// Increments the requests sent in `month` (`2026-11`) and returns the new count.
    @discardableResult
    func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int
    func requests(of feed: String, in month: String) throws(HistoryError) -> Int
}

extension HistoryWriter: FeedNoteKeeper {
    package func note(_ name: String, of feed: String) throws(HistoryError) -> Data? {
        try reader.read { try FeedNotes.note(name, of: feed, $0) }
    }

    package func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError) {
        try write("note a feed's state in") { try FeedNotes.keep(value, as: name, of: feed, $0) }
    }

    @discardableResult
    package func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int {
        try write("count a request in") { try FeedNotes.countRequests(count, of: feed, in: month, $0) }
    }

    package func requests(of feed: String, in month: String) throws(HistoryError) -> Int {
        try reader.read { try FeedNotes.requests(of: feed, in: month, $0) }
    }
}

/// The tables `feed_note` and `feed_month`.
enum FeedNotes {
    static func note(_ name: String, of feed: String, _ db: Database) throws -> Data? {
        let find = try db.cachedStatement(sql: "SELECT value FROM feed_note WHERE feed = ? AND name = ?")
        return try find.value("feed_note.value", [feed, name])
    }

    static func keep(_ value: Data?, as name: String, of feed: String, _ db: Database) throws {
        if let value {
            try db.execute(
                sql: "INSERT OR REPLACE INTO feed_note (feed, name, value) VALUES (?, ?, ?)",
                arguments: [feed, name, value])
        } else {
            try db.execute(sql: "DELETE FROM feed_note WHERE feed = ? AND name = ?", arguments: [feed, name])
        }
    }

    static func countRequests(_ count: Int, of feed: String, in month: String, _ db: Database) throws -> Int {
        let update = try db.cachedStatement(
            sql: """
                INSERT INTO feed_month (feed, month, requests) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET requests = requests + excluded.requests RETURNING requests
                """)
        return try update.value("feed_month.requests", [feed, month, count]) ?? count
    }

    static func requests(of feed: String, in month: String, _ db: Database) throws -> Int {
        let find = try db.cachedStatement(sql: "SELECT requests FROM feed_month WHERE feed = ? AND month = ?")
        return try find.value("feed_month.requests", [feed, month]) ?? 0
    }
}
