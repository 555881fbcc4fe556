import Engine
import Foundation
import GRDB
import Markets
import Synchronization

/// The daemon's write access to the history: the only writer of polls, alert states and events.
///
/// A database that cannot be written (a full or read-only disk) does not stop the daemon: reads use what is readable,
/// every commit tries to open it again, and recording resumes with the first that succeeds.
package final class HistoryWriter: HistoryStore {
    package let path: String
    /// For the daemon's own reads.
    package let reader: HistoryReader
    private let hold = Mutex(Hold())
    private let busyMode: Database.BusyMode
    /// The file's version at the last check for changes of other processes.
    let seenVersion = Mutex<Int64>(-1)
    /// Nil until the first commit.
    let state = Mutex<WriterState?>(nil)
    /// Nil until the first call of `size()`.
    let totals = Mutex<StoredHistory?>(nil)

    private struct Hold {
        var lock: DaemonLock?
        /// Nil while the database cannot be opened for writing.
        var queue: DatabaseQueue?
        var fault: HistoryError?
        var endedUncleanly = false
        var isClosed = false
        var quarantined: [QuarantinedDatabase] = []
        /// The paths of all; nil until they are listed. Listed once: a poll should not read the folder.
        var kept: [String]?
        var damage: HistoryError?
        /// The header as it was before SQLite opened the file.
        var header: FileHeader?
        /// A random id until the database has been read.
        var installation = UUID().uuidString
    }

    /// Takes the daemon's lock and opens the database at `path`; creates it and its folder if missing.
    ///
    /// A damaged database is quarantined and a new one created. Throws if another daemon holds the database, if it is
    /// another program's or closed to this user, or if a newer release wrote it; other failures to open it are in
    /// `fault`.
    ///
    /// - Parameter patience: how long to wait for a database that another program has locked; the default covers a
    ///   command's transaction.
    package init(at path: String, patience: Duration = .milliseconds(250)) throws(HistoryError) {
        self.path = path
        busyMode = .timeout(patience.inSeconds)
        var start = Hold()
        do {
            reader = HistoryReader(path: path, queue: try Self.open(path, &start, busyMode))
        } catch {
            guard [.unwritable, .closed, .other, .corrupt].contains(error.kind) else { throw error }
            start.fault = error
            reader = HistoryReader(
                path: path, queue: try DatabaseFile.openStandIn(for: path, because: error, busyMode))
        }
        start.installation = (try? reader.installation()) ?? start.installation
        hold.withLock { $0 = start }
    }

    /// The database to read: the open one, or its stand-in.
    var queue: DatabaseQueue { reader.queue }

    /// Random id, created with the database: distinguishes its events from those of any other. While the database
    /// cannot be read, it is the id that a new database would get.
    package var installation: String { hold.withLock { $0.installation } }

    /// Why nothing can be recorded; nil if the database is open.
    package var fault: HistoryError? { hold.withLock { $0.fault } }

    /// The databases quarantined since the last call.
    func takeQuarantined() -> [QuarantinedDatabase] {
        hold.withLock { hold in
            defer { hold.quarantined = [] }
            return hold.quarantined
        }
    }

    /// The paths of all quarantined databases that still exist.
    package func quarantinedDatabases() -> [String] {
        hold.withLock { hold in
            let kept = hold.kept ?? QuarantinedDatabase.found(beside: path)
            hold.kept = kept.filter(FileManager.default.fileExists)
            return hold.kept ?? []
        }
    }

    /// The size of the history, as far as it can be read.
    var stored: StoredHistory { (try? size()) ?? StoredHistory(database: path, bytes: reader.bytesOnDisk()) }

    /// The size of the history: counted once, then updated with each write.
    package func size() throws(HistoryError) -> StoredHistory {
        if var known = totals.withLock({ $0 }) {
            known.bytes = reader.bytesOnDisk()
            return known
        }
        return try reader.read { db in
            let counted = try reader.size(db)
            totals.withLock { $0 = counted }
            return counted
        }
    }

    /// Checks the whole database after an unclean exit. Returns the damage, if any; the next commit then quarantines
    /// the database. Reads about 60 MB a second if the file is not cached; polls go on meanwhile.
    package func checkAfterUncleanEnd() async -> HistoryError? {
        guard hold.withLock({ $0.endedUncleanly && $0.queue != nil }) else { return nil }
        let fault = await withCheckedContinuation { continuation in
            // Uses its own thread, since the check blocks on disk reads.
            DispatchQueue(label: "pricewatch.check", qos: .utility).async { [path] in
                let damage = IntegrityCheck.fault("quick_check", path) { () throws(HistoryError) in
                    try DatabaseFile.openForReading(path, holdingLock: true)
                }
                continuation.resume(returning: damage)
            }
        }
        hold.withLock { hold in
            hold.endedUncleanly = false
            hold.damage = fault
        }
        return fault
    }

    /// Checkpoints the WAL into the database; what remains is checkpointed at the next start.
    package func close() throws(HistoryError) {
        let queue = hold.withLock { hold in
            defer { hold.queue = nil }
            hold.isClosed = true
            return hold.queue
        }
        guard let queue else { return }
        // Later reads get an empty database, not a closed connection.
        reader.ask(try DatabaseFile.openInMemory(for: path))
        // Ignored: a full disk alone should not mark the exit as unclean.
        try? state.withLock { state in try queue.write { try state?.candles.keepFigures($0) } }
        try HistoryError.naming("close", path) {
            try DatabaseFile.checkpoint(queue)
            try queue.close()
        }
    }
}

extension HistoryWriter {
    /// The open database, opened again if that failed before. Throws if it is damaged.
    func openDatabase() throws(HistoryError) -> DatabaseQueue {
        try hold.withLock { hold throws(HistoryError) in
            if let damage = hold.damage { throw damage }
            if let queue = hold.queue { return queue }
            if hold.isClosed { throw HistoryError(.other, "write to", path, cause: "it has been closed") }
            // Close the stand-in first: a connection opened on a read-only disk would make later ones read-only, too.
            reader.ask(try DatabaseFile.openInMemory(for: path))
            do throws(HistoryError) {
                return use(try Self.open(path, &hold, busyMode), &hold)
            } catch {
                hold.fault = error
                reader.ask(try DatabaseFile.openStandIn(for: path, busyMode))
                throw error
            }
        }
    }

    package func write<T>(_ operation: String, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        let queue = try openDatabase()
        return try HistoryError.naming(operation, path) { try queue.write(body) }
    }

    /// Closes a database that cannot be written, so that the next commit opens it again: a connection opened on a
    /// read-only disk stays read-only.
    func abandon(because error: HistoryError) {
        hold.withLock { hold in
            hold.fault = error
            hold.queue = nil
        }
        state.withLock { $0 = nil }
    }

    /// Replaces the damaged database by a new one with the states recovered from it.
    func replace(damagedBy error: HistoryError) throws(HistoryError) {
        try hold.withLock { hold throws(HistoryError) in
            // Readers keep the old connection until they are done.
            hold.queue = nil
            hold.fault = error
            reader.ask(try DatabaseFile.openInMemory(for: path))
            use(try Self.startAnew(path, &hold, because: error, busyMode), &hold)
        }
        state.withLock { $0 = nil }
        totals.withLock { $0 = nil }
    }

    /// Reads and writes this database from now on.
    @discardableResult
    private func use(_ queue: DatabaseQueue, _ hold: inout Hold) -> DatabaseQueue {
        hold.queue = queue
        hold.fault = nil
        reader.ask(queue)
        hold.installation = (try? reader.installation()) ?? hold.installation
        return queue
    }

    private static func open(
        _ path: String, _ hold: inout Hold, _ busyMode: Database.BusyMode
    ) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseFolder(path)
        try FileAccess.makeFolder(of: path)
        if hold.lock == nil { hold.lock = try DaemonLock(for: path) }
        try FileAccess.refuseClosed(path)
        let queue: DatabaseQueue
        do {
            // Read once, before SQLite opens the file: closing the file later would drop SQLite's locks.
            let header = hold.header ?? FileHeader(of: path)
            if hold.header == nil {
                try header.refuseOthers(path)
                if StaleWAL.lies(beside: path, header) { try StaleWAL.setAside(path) }
            }
            hold.header = header
            hold.endedUncleanly = FileHeader.size(of: path + "-wal") ?? 0 > 0
            queue = try DatabaseFile.openForWriting(path, installation: hold.installation, busyMode)
        } catch  where error.kind == .corrupt {
            if hold.header?.isForeign == true { throw FileHeader.foreign(path) }
            queue = try startAnew(path, &hold, because: error, busyMode)
        }
        hold.queue = queue
        return queue
    }

    /// Quarantines the damaged database and creates a new one with the states recovered from it.
    private static func startAnew(
        _ path: String, _ hold: inout Hold, because error: HistoryError, _ busyMode: Database.BusyMode
    ) throws(HistoryError) -> DatabaseQueue {
        let quarantined = try QuarantinedDatabase.quarantine(path, because: error)
        hold.quarantined.append(quarantined)
        hold.kept = nil
        hold.endedUncleanly = false
        hold.damage = nil
        let queue = try DatabaseFile.openForWriting(path, installation: hold.installation, busyMode)
        Recovery.states(from: quarantined.path, into: queue)
        return queue
    }
}
