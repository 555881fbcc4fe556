import GRDB
import Synchronization

/// Reads the history: for the daemon through its own connection, for commands read-only beside it.
package final class HistoryReader: Sendable {
    package let path: String
    private let asked: Mutex<DatabaseQueue>

    /// Opens the database at `path` read-only; throws `.absent` if there is none.
    package init(at path: String) throws(HistoryError) {
        self.path = path
        asked = Mutex(try DatabaseFile.openForReading(path))
    }

    /// Reads through the writer's connection.
    init(path: String, queue: DatabaseQueue) {
        self.path = path
        asked = Mutex(queue)
    }

    var queue: DatabaseQueue { asked.withLock { $0 } }

    /// Reads through this connection from now on.
    func ask(_ queue: DatabaseQueue) { asked.withLock { $0 = queue } }

    /// See `HistoryWriter.installation`.
    func installation() throws(HistoryError) -> String? {
        try value("SELECT value FROM setting WHERE name = 'installation'")
    }

    /// Reads from one snapshot of the database, however many statements `question` runs.
    ///
    /// GRDB's `read` sets `PRAGMA query_only` before and after, which makes SQLite prepare every statement again:
    /// several times a poll, that was a tenth of a poll's cost.
    func read<T>(_ question: (Database) throws -> T) throws(HistoryError) -> T {
        try HistoryError.naming("read", path) {
            try queue.unsafeRead { db in
                try db.beginTransaction(.deferred)
                do {
                    let answer = try question(db)
                    try db.commit()
                    return answer
                } catch {
                    // Report the first error, not one of the rollback.
                    try? db.rollback()
                    throw error
                }
            }
        }
    }

    /// The first column of the first row; nil if there is no row. A single statement needs no transaction around it.
    func value<Value: StoredValue>(
        _ sql: String, _ arguments: StatementArguments = []
    ) throws(HistoryError) -> Value? {
        try HistoryError.naming("read", path) { try queue.unsafeRead { try $0.value(sql, arguments) } }
    }
}
