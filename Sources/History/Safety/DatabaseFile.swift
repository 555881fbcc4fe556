import Foundation
import GRDB
import GRDBSQLite

/// Opens the database file: as its one writer, or beside it as a reader that changes nothing.
enum DatabaseFile {
    /// From so many pages on the log is folded in, and cut back to their size.
    static let logPages = 128
    /// KiB of pages kept in memory. A poll of 17,000 markets touches 400; more bring nothing but size.
    static let cacheSize = 512

    /// Opens for writing, creating or migrating as needed. A stranger's file and one of a newer release are refused
    /// before anything is written to them.
    ///
    /// - Parameter installation: what a new database is told from others by.
    static func openForWriting(
        _ path: String, installation: String = UUID().uuidString
    ) throws(HistoryError) -> DatabaseQueue {
        try HistoryError.naming("open", path) {
            if FileManager.default.fileExists(atPath: path) { try refuseOthers(path) }
            var configuration = Configuration()
            configuration.journalMode = .wal
            configuration.busyMode = .timeout(5)
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
            try queue.write { db in
                try db.execute(
                    sql: "INSERT OR IGNORE INTO setting (name, value) VALUES ('installation', ?)",
                    arguments: [installation])
            }
            shareReading(path)
            return queue
        }
    }

    /// What the daemon asks while the database cannot be written: the database as it is, where it can be read, else an
    /// empty one in memory.
    ///
    /// - Parameter error: Why it cannot. Another user's database that cannot even be read is an error: whoever does not
    ///   know what was announced would announce it again.
    static func openStandIn(
        for path: String, because error: HistoryError? = nil
    ) throws(HistoryError) -> DatabaseQueue {
        let isClosed = error?.kind == .closed
        if let readable = try? openForReading(path, holdingLock: !isClosed) { return readable }
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
    static func openForReading(_ path: String, holdingLock: Bool = false) throws(HistoryError) -> DatabaseQueue {
        try FileAccess.refuseFolder(path)
        guard FileManager.default.fileExists(atPath: path) else {
            throw HistoryError(.absent, "open", path, cause: "no such file", cure: "start the daemon: pricewatch run")
        }
        return try HistoryError.naming("open", path) {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
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
            if hasOldLog(path) { try OldLog.setAside(path) }
            try refuseOthers(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
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

    private static func refuseOthers(_ path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let probe = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? probe.close() }
        try probe.read { db in
            // A file that a killed first start left empty is ours to fill.
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 { return }
            try refuse(db, path)
        }
    }

    private static func refuse(_ db: Database, _ path: String) throws {
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID else {
            throw HistoryError(
                .foreign, "open", path, cause: "this is not a pricewatch database",
                cure: "name another file in history.database")
        }
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

    private static func shareReading(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o644) }
    }

    private static func uriEscaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}
