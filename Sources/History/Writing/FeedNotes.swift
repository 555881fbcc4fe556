public import Foundation
import GRDB

/// What feeds remember across restarts: waits, counts and stored answers, each under a name of theirs.
extension HistoryWriter {
    public func note(_ name: String, of feed: String) throws(HistoryError) -> Data? {
        try reader.read { db in
            let find = try db.cachedStatement(sql: "SELECT value FROM feed_note WHERE feed = ? AND name = ?")
            return try Data.fetchOne(find, arguments: [feed, name])
        }
    }

    /// Keeps `value` in place of what stood there; nil forgets it.
    public func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError) {
        try write("note a feed's state in") { db in
            if let value {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO feed_note (feed, name, value) VALUES (?, ?, ?)",
                    arguments: [feed, name, value])
            } else {
                try db.execute(sql: "DELETE FROM feed_note WHERE feed = ? AND name = ?", arguments: [feed, name])
            }
        }
    }

    /// Adds to the requests sent in `month` (`2026-11`) and returns the new count.
    @discardableResult
    public func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int {
        try write("count a request in") { db in
            let update = try db.cachedStatement(
                sql: """
                    INSERT INTO feed_month (feed, month, requests) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests RETURNING requests
                    """)
            return try Int.fetchOne(update, arguments: [feed, month, count]) ?? count
        }
    }

    public func requests(of feed: String, in month: String) throws(HistoryError) -> Int {
        try reader.read { db in
            let find = try db.cachedStatement(sql: "SELECT requests FROM feed_month WHERE feed = ? AND month = ?")
            return try Int.fetchOne(find, arguments: [feed, month]) ?? 0
        }
    }
}
