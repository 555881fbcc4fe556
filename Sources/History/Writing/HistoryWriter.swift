import Foundation
import GRDB
import Markets
import Synchronization

/// The daemon's hold on the history: it alone writes polls, alert states and events.
public final class HistoryWriter: Sendable {
    public let path: String
    /// Answers the daemon's own questions.
    public let reader: HistoryReader
    /// Random, made with the database: tells its events from those of any other.
    public let installation: String
    private let lock: DaemonLock
    let queue: DatabaseQueue
    /// Nil until the first poll, and after one that could not be written.
    let series = Mutex<SeriesIDs?>(nil)
    /// The file's version when others' changes were last looked for.
    let seenVersion = Mutex<Int64>(-1)

    /// Takes the daemon's lock and opens the database at `path`, making it and its folder where they are missing.
    public init(at path: String) throws(HistoryError) {
        self.path = path
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw HistoryError(
                .unwritable, "make the folder", folder, cause: error.localizedDescription,
                cure: "make it by hand for this user, or name another history.database")
        }
        lock = try DaemonLock(for: path)
        let queue = try DatabaseFile.openForWriting(path)
        self.queue = queue
        reader = HistoryReader(path: path, queue: queue)
        installation = try HistoryError.naming("open", path) { try queue.write(Self.installationID) }
    }

    /// Folds the write-ahead log into the database; what is not folded now is at the next start.
    public func close() throws(HistoryError) {
        try HistoryError.naming("close", path) {
            try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            try queue.close()
        }
    }

    private static func installationID(_ db: Database) throws -> String {
        if let known = try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = 'installation'") {
            return known
        }
        let made = UUID().uuidString
        try db.execute(sql: "INSERT INTO setting (name, value) VALUES ('installation', ?)", arguments: [made])
        return made
    }
}
