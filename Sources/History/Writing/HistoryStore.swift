import Foundation
import GRDB
import Markets

/// Short transactions on the history, beside the polls: by the daemon, or by a command.
package protocol HistoryStore: Sendable {
    var reader: HistoryReader { get }
    /// - Parameter operation: for the error.
    func write<T>(_ operation: String, _ body: (Database) throws -> T) throws(HistoryError) -> T
    /// Writes a backfill answer. Returns the number of new prices.
    @discardableResult
    func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int
}

/// What feeds remember across restarts: cooldowns, request counts and stored answers, by name.
extension HistoryStore {
    package func note(_ name: String, of feed: String) throws(HistoryError) -> Data? {
        try reader.value("SELECT value FROM feed_note WHERE feed = ? AND name = ?", [feed, name])
    }

    /// Stores `value` under `name`, replacing the old value; nil deletes it.
    package func keep(_ value: Data?, as name: String, of feed: String) throws(HistoryError) {
        try write("note a feed's state in") { db in
            guard let value else {
                return try db.execute(
                    sql: "DELETE FROM feed_note WHERE feed = ? AND name = ?", arguments: [feed, name])
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO feed_note (feed, name, value) VALUES (?, ?, ?)",
                arguments: [feed, name, value])
        }
    }

    /// Increments the requests sent in `month` (`2026-11`) and returns the new count.
    @discardableResult
    package func countRequests(_ count: Int, of feed: String, in month: String) throws(HistoryError) -> Int {
        try write("count a request in") { db in
            try db.value(
                """
                INSERT INTO feed_month (feed, month, requests) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET requests = requests + excluded.requests RETURNING requests
                """, [feed, month, count]) ?? count
        }
    }

    package func requests(of feed: String, in month: String) throws(HistoryError) -> Int {
        try reader.value("SELECT requests FROM feed_month WHERE feed = ? AND month = ?", [feed, month]) ?? 0
    }
}

/// The database of a command, which writes in short transactions whether a daemon is running or not.
package final class CommandDatabase: HistoryStore {
    private let queue: DatabaseQueue
    package let reader: HistoryReader

    /// Opens the database at `path`; throws `.absent` if there is none.
    package init(at path: String) throws(HistoryError) {
        queue = try DatabaseFile.openBesideDaemon(path)
        reader = HistoryReader(path: path, queue: queue)
    }

    package func write<T>(_ operation: String, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        try HistoryError.naming(operation, reader.path) { try queue.write(body) }
    }

    @discardableResult
    package func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int {
        try write("record past prices in") { db in
            var state = try WriterState(after: nil, db)
            return try InsertBackfill.insert(answer, &state, db)
        }
    }

    /// Silences a rule (nil: all) on a market (nil: all) until `until`; changes the end of a silence in force for the
    /// same rule and market.
    package func silence(rule: String?, market: MarketID?, from now: Date, until: Date) throws(HistoryError) {
        try write("keep a silence in") { db in
            try db.execute(
                sql: "UPDATE silence SET until = ? WHERE rule IS ? AND market IS ? AND until > ?",
                arguments: [until.milliseconds, rule, market?.text, now.milliseconds])
            guard db.changesCount == 0 else { return }
            try db.execute(
                sql: "INSERT INTO silence (rule, market, since, until) VALUES (?, ?, ?, ?)",
                arguments: [rule, market?.text, now.milliseconds, until.milliseconds])
        }
    }

    /// Ends every silence of the rule; nil: all silences. The daemon then notifies of alerts that still fire. Returns
    /// the number of silences ended.
    @discardableResult
    package func end(rule: String?, at now: Date) throws(HistoryError) -> Int {
        try write("end a silence in") { db in
            try db.execute(
                sql: "UPDATE silence SET until = ?1 WHERE until > ?1 AND (?2 IS NULL OR rule = ?2)",
                arguments: [now.milliseconds, rule])
            return db.changesCount
        }
    }
}
