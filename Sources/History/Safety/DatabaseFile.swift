import Foundation
import GRDB
import GRDBSQLite

/// Opens the database file: as its one writer, or beside it as a reader that changes nothing.
enum DatabaseFile {
    /// The WAL is checkpointed from this many pages on, and truncated to their size.
    static let logPages = 128
    /// For commands, which may wait for a daemon's transaction.
    static let patient = Database.BusyMode.timeout(5)
    /// Page cache in KiB. A poll of 17,000 markets touches 400 KiB; a larger cache is not faster.
    static let cacheSize = 512

    /// Opens for writing, creating or migrating as needed. A file of another program or of a newer release is refused
    /// before anything is written to it.
    ///
    /// - Parameters:
    ///   - installation: the id of a new database.
    ///   - busyMode: how long to wait for other processes' locks.
    static func openForWriting(
        _ path: String, installation: String, _ busyMode: Database.BusyMode
    ) throws(HistoryError) -> DatabaseQueue {
        try HistoryError.naming("open", path) {
            do {
                return try open(path, installation, busyMode)
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_READONLY && !FileHeader(of: path).mayBeWritten
            {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        }
    }

    private static func open(
        _ path: String, _ installation: String, _ busyMode: Database.BusyMode
    ) throws -> DatabaseQueue {
        try FileHeader.refuseEmptied(path)
        if FileManager.default.fileExists(atPath: path) {
            restrict(path)
            do {
                try refuseOthers(path, busyMode)
            } catch let error as DatabaseError
                where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK && FileHeader.isBeforeFirstTable(path)
            {
                // Only a writer rolls its journal back.
                if FileHeader(of: path).isForeign { throw FileHeader.foreign(path) }
            }
        } else {
            create(path)
        }
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = busyMode
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA secure_delete = OFF; PRAGMA auto_vacuum = 2;
                    PRAGMA wal_autocheckpoint = \(logPages); PRAGMA journal_size_limit = \(logPages * 4096);
                    PRAGMA cache_size = -\(cacheSize)
                    """)
            keepWALFiles(db)
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // A power loss must not undo what was announced. Set here, since GRDB has just set NORMAL for the WAL.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        guard try queue.read({ sqlite3_db_readonly($0.sqliteConnection, "main") }) == 0 else {
            throw DatabaseError(resultCode: .SQLITE_READONLY)
        }
        try Schema.migrator.migrate(queue)
        try queue.read(Schema.refuseMissing)
        try queue.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO setting (name, value) VALUES ('installation', ?)",
                arguments: [installation])
        }
        try queue.read(StateTables.check)
        restrict(path)
        return queue
    }

    /// Opens what the daemon reads while the database cannot be written: the database, if it can be read, else an empty
    /// one in memory.
    ///
    /// - Parameter error: Why it cannot be written; thrown if another user's database cannot be read either, since a
    ///   daemon that does not know what was announced would announce it again.
    static func openStandIn(
        for path: String, because error: HistoryError? = nil, _ busyMode: Database.BusyMode
    ) throws(HistoryError) -> DatabaseQueue {
        let isClosed = error?.kind == .closed
        if let readable = try? openForReading(path, holdingLock: !isClosed, busyMode) { return readable }
        if let error, isClosed, !FileAccess.isAbsent(path) { throw error }
        return try openInMemory(for: path)
    }

    static func openInMemory(for path: String) throws(HistoryError) -> DatabaseQueue {
        try HistoryError.naming("open a stand-in for", path) {
            let queue = try DatabaseQueue()
            try Schema.migrator.migrate(queue)
            return queue
        }
    }

    /// Opens read-only, for any user, whether a daemon is running or not.
    ///
    /// - Parameter holdingLock: Whether this process holds the daemon's lock. Asking for the lock's holder would
    ///   release it.
    static func openForReading(
        _ path: String, holdingLock: Bool = false, _ busyMode: Database.BusyMode = patient
    ) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseFolder(path)
        try FileAccess.refuseUnreadable(path)
        try FileAccess.refuseAbsent(path)
        return try HistoryError.naming("open", path) {
            try FileHeader.refuseEmptied(path)
            if !holdingLock { try refuseWithoutHeader(path) }
            // Without a WAL and a writer the file cannot change. It may be in a folder where no WAL can be created.
            let settled =
                !FileManager.default.fileExists(atPath: path + "-wal")
                ? holdingLock || DaemonLock.holder(of: path) == nil : !holdingLock && hasStaleWAL(path)
            let queue = try DatabaseQueue(
                path: settled ? "file:\(uriEscaped(path))?immutable=1" : path, configuration: reading(busyMode))
            try queue.read { db in try refuse(db, path) }
            return queue
        }
    }

    /// Opens for the short transactions of commands, while a daemon may be writing. Creates and migrates nothing.
    static func openBesideDaemon(_ path: String) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseAbsent(path)
        return try HistoryError.naming("open", path) {
            try FileAccess.refuseClosed(path)
            try FileHeader.refuseEmptied(path)
            try refuseWithoutHeader(path)
            if hasStaleWAL(path) { try StaleWAL.setAside(path) }
            try refuseOthers(path, patient)
            var configuration = Configuration()
            configuration.busyMode = patient
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                keepWALFiles(db)
            }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Checkpoints the WAL and truncates it, unless a reader needs it: the next checkpoint comes by itself.
    static func checkpoint(_ queue: DatabaseQueue) throws {
        do {
            try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
    }

    private static func reading(_ busyMode: Database.BusyMode) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = busyMode
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(cacheSize)") }
        return configuration
    }

    private static func hasStaleWAL(_ path: String) -> Bool {
        StaleWAL.lies(beside: path, FileHeader(of: path)) && DaemonLock.holder(of: path) == nil
    }

    /// Checks the header, which SQLite does not read if the WAL has the first page. Must not be called while this
    /// process has the database open: closing the file drops SQLite's locks.
    private static func refuseWithoutHeader(_ path: String) throws {
        if FileHeader.size(of: path + "-wal") ?? 0 > 0 { try FileHeader(of: path).refuseOthers(path) }
    }

    private static func refuseOthers(_ path: String, _ busyMode: Database.BusyMode) throws {
        let probe = try DatabaseQueue(path: path, configuration: reading(busyMode))
        defer { try? probe.close() }
        try probe.read { db in
            // Left by a first start that was killed: an empty file, or one with the empty list of migrations alone.
            if try db.value("SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'") == 0 { return }
            try refuse(db, path)
        }
    }

    private static func refuse(_ db: Database, _ path: String) throws {
        guard try db.value("PRAGMA application_id") == Int64(Schema.applicationID) else {
            throw FileHeader.foreign(path)
        }
        _ = try db.values("SELECT identifier FROM grdb_migrations", as: String.self)
        guard try Schema.migrator.hasBeenSuperseded(db) == false else {
            throw HistoryError(
                .newerSchema, "open", path, cause: "a newer release of pricewatch wrote it",
                hint: "install that release, or name another file in history.database")
        }
    }

    /// Keeps the WAL and its index when the writer closes: a reader without write access needs them to open the
    /// database.
    private static func keepWALFiles(_ db: Database) {
        var on: CInt = 1
        sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &on)
    }

    /// Creates the file with its mode, which SQLite copies to its other files.
    private static func create(_ path: String) {
        FileAccess.create(path, mode: FileAccess.databaseMode)
        restrict(path)
    }

    /// Follows links: SQLite puts its other files beside the link's target.
    private static func restrict(_ path: String) {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        FileAccess.restrict(["", "-wal", "-shm"].map { place + $0 })
    }

    static func uriEscaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}
