import GRDB

/// The questions that are put to the history, by the daemon through its own connection and by the commands
/// read-only beside it.
public final class HistoryReader: Sendable {
    public let path: String
    let queue: DatabaseQueue

    /// Opens the database at `path` read-only; throws `.absent` where nothing was ever recorded.
    public init(at path: String) throws(HistoryError) {
        self.path = path
        queue = try DatabaseFile.openForReading(path)
    }

    /// Asks through the writer's connection.
    init(path: String, queue: DatabaseQueue) {
        self.path = path
        self.queue = queue
    }

    func read<T>(_ question: (Database) throws -> T) throws(HistoryError) -> T {
        try HistoryError.naming("read", path) { try queue.read(question) }
    }
}
