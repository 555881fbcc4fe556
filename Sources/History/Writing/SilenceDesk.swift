import Foundation
import GRDB
import Markets

/// Keeps silences in the database beside a daemon, or without one, in short transactions.
public final class SilenceDesk: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// Opens the database at `path`; throws `.absent` where nothing was ever recorded.
    public init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openBesideDaemon(path)
    }

    /// Silences a rule (nil: all) on a market (nil: all) until then; one that stands for the same is prolonged, or cut.
    public func silence(
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

    /// Ends every silence of the rule; nil: all there are. The daemon tells what still fires. Returns how many ended.
    @discardableResult
    public func end(rule: String?, at now: Date) throws(HistoryError) -> Int {
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
    /// Whether anybody else wrote to the database since the last time this was asked.
    public func changedByOthers() throws(HistoryError) -> Bool {
        let version: Int64 = try reader.read { try $0.value("data_version", "PRAGMA data_version") ?? 0 }
        let isChanged = seenVersion.withLock { seen in
            defer { seen = version }
            return seen != version
        }
        // What others healed is counted anew.
        if isChanged { totals.withLock { $0 = nil } }
        return isChanged
    }

    func end(_ silence: Int64, at now: Date, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM silence WHERE id = ? AND until <= ?", arguments: [silence, now.milliseconds])
    }
}
