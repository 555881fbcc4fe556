import GRDB
import Synchronization

/// The questions that are put to the history, by the daemon through its own connection and by the commands
/// read-only beside it.
public final class HistoryReader: Sendable {
    public let path: String
    private let asked: Mutex<DatabaseQueue>

    /// Opens the database at `path` read-only; throws `.absent` where nothing was ever recorded.
    public init(at path: String) throws(HistoryError) {
        self.path = path
        asked = Mutex(try DatabaseFile.openForReading(path))
    }

    /// Asks through the writer's connection.
    init(path: String, queue: DatabaseQueue) {
        self.path = path
        asked = Mutex(queue)
    }

    var queue: DatabaseQueue { asked.withLock { $0 } }

    /// From now on this one answers.
    func ask(_ queue: DatabaseQueue) { asked.withLock { $0 = queue } }

    /// See `HistoryWriter.installation`.
    func installation() throws(HistoryError) -> String? {
        try read { try $0.value("setting.value", "SELECT value FROM setting WHERE name = 'installation'") }
    }

    /// Answers from one moment of the database, however many statements the question takes.
    ///
    /// GRDB's `read` says `PRAGMA query_only` before and after, upon which SQLite prepares every statement anew: several
    /// times a poll that was a tenth of its cost.
    func read<T>(_ question: (Database) throws -> T) throws(HistoryError) -> T {
        try HistoryError.naming("read", path) {
            try queue.unsafeRead { db in
                try db.beginTransaction(.deferred)
                do {
                    let answer = try question(db)
                    try db.commit()
                    return answer
                } catch {
                    // What went wrong first is what is told.
                    try? db.rollback()
                    throw error
                }
            }
        }
    }
}
