import Foundation
import GRDB
import Markets

/// Writes silences in short transactions, whether a daemon is running or not.
package final class SilenceDatabase: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// Opens the database at `path`; throws `.absent` if there is none.
    package init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openBesideDaemon(path)
    }

    /// Silences a rule (nil: all) on a market (nil: all) until `until`; changes the end of a silence in force for the
    /// same rule and market.
    package func silence(
        rule: String?, market: MarketID?, from now: Date, until: Date
    ) throws(HistoryError) {
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
                sql: "UPDATE silence SET until = ? WHERE until > ? AND (? IS NULL OR rule = ?)",
                arguments: [now.milliseconds, now.milliseconds, rule, rule])
            return db.changesCount
        }
    }

    private func write<T>(_ operation: String, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        try HistoryError.naming(operation, path) {
            var result: T?
            try queue.inTransaction(.immediate) { db in
                result = try body(db)
                return .commit
            }
            guard let result else { throw HistoryError(.other, operation, path, cause: "nothing was done") }
            return result
        }
    }
}

extension HistoryWriter {
    /// True if another process wrote to the database since the last call.
    package func changedByOthers() throws(HistoryError) -> Bool {
        let version: Int64 = try reader.read { try $0.value("data_version", "PRAGMA data_version") ?? 0 }
        let isChanged = seenVersion.withLock { seen in
            defer { seen = version }
            return seen != version
        }
        // Other processes may have backfilled prices.
        if isChanged { totals.withLock { $0 = nil } }
        return isChanged
    }
}
