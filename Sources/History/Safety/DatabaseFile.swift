import Foundation
import GRDB
import GRDBSQLite

/// Opens the database file: as its one writer, or beside it as a reader that changes nothing.
enum DatabaseFile {
    /// From so many pages on the log is folded in, and cut back to their size.
    static let logPages = 128
    /// Of commands, which may wait for a daemon's transaction.
    static let patient = Database.BusyMode.timeout(5)
    /// KiB of pages kept in memory. A poll of 17,000 markets touches 400; more bring nothing but size.
    static let cacheSize = 512

    /// Opens for writing, creating or migrating as needed. A stranger's file and one of a newer release are refused
    /// before anything is written to them.
    ///
    /// - Parameters:
    ///   - installation: what a new database is told from others by.
    ///   - patience: how long it waits for others who have locked it.
    static func openForWriting(
        _ path: String, installation: String = UUID().uuidString, _ patience: BusyPatience
    ) throws(HistoryError) -> DatabaseQueue {
        try HistoryError.naming("open", path) {
            try FileHeader.refuseEmptied(path)
            if FileManager.default.fileExists(atPath: path) {
                restrict(path)
                try refuseOthers(path, patience.busyMode)
            } else {
                create(path)
            }
            var configuration = Configuration()
            configuration.journalMode = .wal
            configuration.busyMode = patience.busyMode
            configuration.prepareDatabase { db in
                // Power loss must not take back what was announced.
                try db.execute(
                    sql: """
                        PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA auto_vacuum = 2;
                        PRAGMA wal_autocheckpoint = \(logPages); PRAGMA journal_size_limit = \(logPages * 4096);
                        PRAGMA cache_size = -\(cacheSize)
                        """)
                keepWALFiles(db)
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
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
    }

    /// What the daemon asks while the database cannot be written: the database as it is, where it can be read, else an
    /// empty one in memory.
    ///
    /// - Parameter error: Why it cannot. Another user's database that cannot even be read is an error: whoever does not
    ///   know what was announced would announce it again.
    static func openStandIn(
        for path: String, because error: HistoryError? = nil, _ patience: BusyPatience
    ) throws(HistoryError) -> DatabaseQueue {
        let isClosed = error?.kind == .closed
        if let readable = try? openForReading(path, holdingLock: !isClosed, patience.busyMode) { return readable }
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

    /// Opens for reading alone, also as another user, also while or after a daemon writes.
    ///
    /// - Parameter holdingLock: Whether this process holds the daemon's lock. To ask for its holder would let go of it.
    static func openForReading(
        _ path: String, holdingLock: Bool = false, _ busyMode: Database.BusyMode = patient
    ) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseFolder(path)
        try FileAccess.refuseUnreadable(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw HistoryError(.absent, "open", path, cause: "no such file", cure: "start the daemon: pricewatch run")
        }
        return try HistoryError.naming("open", path) {
            try FileHeader.refuseEmptied(path)
            if !holdingLock { try refuseWithoutHeader(path) }
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = busyMode
            // Without a WAL and without a writer the file cannot change, and may lie where no WAL can be made.
            let settled =
                !FileManager.default.fileExists(atPath: path + "-wal")
                ? holdingLock || DaemonLock.holder(of: path) == nil : !holdingLock && hasOldLog(path)
            let queue = try DatabaseQueue(
                path: settled ? "file:\(uriEscaped(path))?immutable=1" : path, configuration: configuration)
            try queue.read { db in try refuse(db, path) }
            return queue
        }
    }

    /// Opens for the short transactions of commands, while a daemon may write, too. Nothing is created or migrated.
    static func openBesideDaemon(_ path: String) throws(HistoryError) -> DatabaseQueue {
        guard FileManager.default.fileExists(atPath: path) else {
            throw HistoryError(.absent, "open", path, cause: "no such file", cure: "start the daemon: pricewatch run")
        }
        return try HistoryError.naming("open", path) {
            try FileAccess.refuseClosed(path)
            try FileHeader.refuseEmptied(path)
            try refuseWithoutHeader(path)
            if hasOldLog(path) { try OldLog.setAside(path) }
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

    private static func hasOldLog(_ path: String) -> Bool {
        OldLog.lies(beside: path, FileHeader(of: path)) && DaemonLock.holder(of: path) == nil
    }

    /// SQLite would take its word for what the file is from the log alone. Not to be asked where this process has the
    /// database open: closing the file drops SQLite's locks.
    private static func refuseWithoutHeader(_ path: String) throws {
        if FileHeader.size(of: path + "-wal") ?? 0 > 0 { try FileHeader(of: path).refuseOthers(path) }
    }

    private static func refuseOthers(_ path: String, _ busyMode: Database.BusyMode) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = busyMode
        let probe = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? probe.close() }
        try probe.read { db in
            // A file that a killed first start left empty is ours to fill.
            if try db.value("sqlite_schema", "SELECT count(*) FROM sqlite_schema") == 0 { return }
            try refuse(db, path)
        }
    }

    private static func refuse(_ db: Database, _ path: String) throws {
        guard try db.value("application_id", "PRAGMA application_id") == Int64(Schema.applicationID) else {
            throw HistoryError(
                .foreign, "open", path, cause: "this is not a pricewatch database",
                cure: "name another file in history.database")
        }
        let done = "SELECT identifier FROM grdb_migrations"
        _ = try db.values("grdb_migrations.identifier", done, as: String.self)
        guard try Schema.migrator.hasBeenSuperseded(db) == false else {
            throw HistoryError(
                .newerSchema, "open", path, cause: "a newer release of pricewatch wrote it",
                cure: "install that release, or name another file in history.database")
        }
    }

    /// The WAL and its index stay when the writer closes, so that a reader without write access can always open.
    private static func keepWALFiles(_ db: Database) {
        var on: CInt = 1
        sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &on)
    }

    /// SQLite gives its other files the mode of the first.
    private static func create(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FileAccess.databaseMode)
        if descriptor >= 0 { close(descriptor) }
        restrict(path)
    }

    /// SQLite puts its other files beside that to which a link leads.
    private static func restrict(_ path: String) {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        FileAccess.restrict(["", "-wal", "-shm"].map { place + $0 })
    }

    private static func uriEscaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}
