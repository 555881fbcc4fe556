import Foundation
import GRDB
import Markets
import Synchronization

/// The daemon's hold on the history: it alone writes polls, alert states and events.
///
/// A database that cannot be written (a full disk, a read-only one) does not stop it: what was recorded before is
/// read as far as it can be, every `record` tries again, and the first that succeeds goes on where it stood.
public final class HistoryWriter: Sendable {
    public let path: String
    /// Answers the daemon's own questions.
    public let reader: HistoryReader
    private let hold = Mutex(Hold())
    let patience: BusyPatience
    /// The file's version when others' changes were last looked for.
    let seenVersion = Mutex<Int64>(-1)
    /// Nil until the first poll.
    let carried = Mutex<CarriedOver?>(nil)
    /// Nil until it is asked for.
    let totals = Mutex<HistorySize?>(nil)

    private struct Hold {
        var lock: DaemonLock?
        /// Nil while the database cannot be opened for writing.
        var queue: DatabaseQueue?
        var fault: HistoryError?
        var endedUncleanly = false
        var isClosed = false
        var replacements: [ReplacedDatabase] = []
        var damage: HistoryError?
        /// What the file was before SQLite opened it.
        var header: FileHeader?
        /// Before the database has been read, a new one.
        var installation = UUID().uuidString
    }

    /// Takes the daemon's lock and opens the database at `path`, making it and its folder where they are missing.
    ///
    /// A damaged database is set aside and a new one begun. Throws where another daemon holds the database, where it
    /// is somebody else's or closed to this user and where a newer release wrote it; what the disk refuses is in `fault`.
    ///
    /// - Parameter patience: how long it waits where another program has locked the database; by itself as long as a
    ///   command's transaction takes.
    public init(at path: String, patience: Duration = .milliseconds(250)) throws(HistoryError) {
        self.path = path
        self.patience = BusyPatience(patience)
        var start = Hold()
        let standIn: DatabaseQueue
        do {
            let queue = try Self.open(path, &start, self.patience)
            standIn = queue
        } catch {
            switch error.kind {
            case .unwritable, .closed, .other, .corrupt: start.fault = error
            default: throw error
            }
            standIn = try DatabaseFile.openStandIn(for: path, because: error, self.patience)
        }
        reader = HistoryReader(path: path, queue: standIn)
        start.installation = (try? reader.installation()) ?? start.installation
        hold.withLock { $0 = start }
    }

    /// The database that answers now: the open one, or what stands in for it.
    var queue: DatabaseQueue { reader.queue }

    /// Random, made with the database: tells its events from those of any other. As long as it cannot be read, it is the
    /// one that a new database would get.
    public var installation: String { hold.withLock { $0.installation } }

    /// Why nothing can be recorded; nil where the database is open.
    public var fault: HistoryError? { hold.withLock { $0.fault } }

    /// The databases that were set aside since this was last asked.
    public func takeReplacements() -> [ReplacedDatabase] {
        hold.withLock { hold in
            defer { hold.replacements = [] }
            return hold.replacements
        }
    }

    /// Databases that were set aside at any time and still lie there, waiting for their owner's decision.
    public func replacedDatabases() -> [String] { ReplacedDatabase.found(beside: path) }

    /// How much the history holds, counted once and carried on from there.
    public func size() throws(HistoryError) -> HistorySize {
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

    /// Reads the whole database after an unclean end and returns what is wrong with it, which makes the next `record`
    /// set it aside. Takes a second for every 60 MB of a cold file, beside the polls.
    public func checkAfterUncleanEnd() async -> HistoryError? {
        guard hold.withLock({ $0.endedUncleanly && $0.queue != nil }) else { return nil }
        let fault = await withCheckedContinuation { continuation in
            // A thread of its own: the check blocks for as long as the disk needs.
            DispatchQueue(label: "pricewatch.check", qos: .utility).async { [path] in
                continuation.resume(returning: IntegrityCheck.quick(path))
            }
        }
        hold.withLock { hold in
            hold.endedUncleanly = false
            hold.damage = fault
        }
        return fault
    }

    /// Folds the write-ahead log into the database; what is not folded now is at the next start.
    public func close() throws(HistoryError) {
        let queue = hold.withLock { hold in
            defer { hold.queue = nil }
            hold.isClosed = true
            return hold.queue
        }
        guard let queue else { return }
        // Whoever asks once more finds nothing, instead of a connection that is gone.
        reader.ask(try DatabaseFile.openInMemory(for: path))
        // What a full disk does not take is not worth an unclean end.
        try? carried.withLock { carried in try queue.write { try carried?.candles.keepLastFigures($0) } }
        try HistoryError.naming("close", path) {
            do {
                try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
            try queue.close()
        }
    }
}

extension HistoryWriter {
    /// The open database. One that could not be opened before is tried again; a damaged one is refused.
    func openDatabase() throws(HistoryError) -> DatabaseQueue {
        try hold.withLock { hold throws(HistoryError) in
            if let damage = hold.damage { throw damage }
            if let queue = hold.queue { return queue }
            if hold.isClosed { throw HistoryError(.other, "write to", path, cause: "it has been closed") }
            // A connection that was opened on a read-only disk would make those after it read-only, too.
            reader.ask(try DatabaseFile.openInMemory(for: path))
            do throws(HistoryError) {
                let queue = try Self.open(path, &hold, patience)
                reader.ask(queue)
                hold.fault = nil
                hold.installation = (try? reader.installation()) ?? hold.installation
                return queue
            } catch {
                hold.fault = error
                reader.ask(try DatabaseFile.openStandIn(for: path, patience))
                throw error
            }
        }
    }

    /// Writes something small, such as a note or what a turn without a poll changed, in a transaction of its own.
    func write<T>(_ operation: String, _ body: (Database) throws -> T) throws(HistoryError) -> T {
        let queue = try openDatabase()
        let result = try HistoryError.naming(operation, path) { try queue.write(body) }
        patience.renew()
        return result
    }

    /// Lets go of a database that cannot be written, so that it is opened anew: a connection that began on a
    /// read-only disk stays read-only.
    func abandon(because error: HistoryError) {
        hold.withLock { hold in
            hold.fault = error
            hold.queue = nil
        }
        carried.withLock { $0 = nil }
    }

    /// Sets the damaged database aside and begins a new one with all that can still be read of the old one's state.
    public func replace(damagedBy error: HistoryError) throws(HistoryError) {
        try hold.withLock { hold throws(HistoryError) in
            // Whoever is still at the old connection keeps it until done; closing it under them would not do.
            hold.queue = nil
            hold.fault = error
            reader.ask(try DatabaseFile.openInMemory(for: path))
            let replaced = try ReplacedDatabase.setAside(path, because: error)
            hold.replacements.append(replaced)
            hold.damage = nil
            let queue = try DatabaseFile.openForWriting(path, installation: hold.installation, patience)
            Salvage.states(from: replaced.path, into: queue)
            hold.queue = queue
            hold.fault = nil
            reader.ask(queue)
            hold.installation = (try? reader.installation()) ?? hold.installation
        }
        carried.withLock { $0 = nil }
        totals.withLock { $0 = nil }
    }

    private static func open(
        _ path: String, _ hold: inout Hold, _ patience: BusyPatience
    ) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseFolder(path)
        try FileAccess.makeFolder((path as NSString).deletingLastPathComponent)
        if hold.lock == nil { hold.lock = try DaemonLock(for: path) }
        try FileAccess.refuseClosed(path)
        let queue: DatabaseQueue
        do {
            // Read once only, for as long as SQLite has not opened it: to close it later would drop SQLite's locks.
            let header = hold.header ?? FileHeader(of: path)
            if hold.header == nil {
                try header.refuseOthers(path)
                if OldLog.lies(beside: path, header) { try OldLog.setAside(path) }
            }
            hold.header = header
            hold.endedUncleanly = FileHeader.size(of: path + "-wal") ?? 0 > 0
            queue = try DatabaseFile.openForWriting(path, installation: hold.installation, patience)
        } catch  where error.kind == .corrupt {
            if hold.header?.isForeign == true { throw FileHeader.foreign(path) }
            let replaced = try ReplacedDatabase.setAside(path, because: error)
            hold.replacements.append(replaced)
            hold.endedUncleanly = false
            queue = try DatabaseFile.openForWriting(path, installation: hold.installation, patience)
            Salvage.states(from: replaced.path, into: queue)
        }
        hold.queue = queue
        return queue
    }
}
