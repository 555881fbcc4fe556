import Foundation
import GRDB

/// A backup that was put in the database's place.
package struct RestoredBackup: Sendable {
    package fileprivate(set) var samples: Int64 = 0
    /// The newest quote; nil if there is none.
    package fileprivate(set) var newest: Date?
    /// Where the replaced database is now; nil if there was none.
    package fileprivate(set) var replaced: String?
    /// Alerts, silences and queued messages are those of the replaced database, not those of the backup.
    package fileprivate(set) var continuesStates = false
    /// The replaced database has recorded something, and shares no poll and no alert event with the backup.
    package fileprivate(set) var replacesOtherHistory = false
    /// Messages that were queued in the backup and are not sent: they may have been sent since.
    package fileprivate(set) var droppedMessages = 0
}

extension HistoryReader {
    /// Puts a backup in the place of the database at `path`, while no daemon runs.
    ///
    /// The backup is copied, migrated and checked beside the database, which stays in place until then. The replaced
    /// database is kept with its WAL under a dated name.
    package static func restore(_ file: String, to path: String) throws(HistoryError) -> RestoredBackup {
        try refuseOwnFiles(of: path, file, "restore")
        let backup = try naming(file) {
            if FileHeader(of: file).isOtherFile { throw FileHeader.foreign(file) }
            return try HistoryReader(at: file)
        }
        let lock = try restoringLock(path)
        defer { withExtendedLifetime(lock) {} }
        return try naming(file) { try backup.replace(path) }
    }

    private static func naming<T>(_ file: String, _ body: () throws -> T) throws(HistoryError) -> T {
        do {
            return try HistoryError.naming("restore", file, body)
        } catch {
            let hint =
                switch error.kind {
                case .newerSchema: "install that release"
                case .closed: error.hint
                case .unwritable: "the database is as it was"
                default: "name a file that pricewatch backup made"
                }
            throw HistoryError(
                error.kind == .absent ? .other : error.kind, "restore", file, cause: error.cause, hint: hint)
        }
    }

    private static func restoringLock(_ path: String) throws(HistoryError) -> DaemonLock {
        try FileAccess.refuseFolder(path)
        try FileAccess.makeFolder(of: path)
        do {
            let lock = try DaemonLock(for: path)
            try FileAccess.refuseClosed(path)
            return lock
        } catch {
            guard case .locked(let pid) = error.kind else { throw error }
            throw HistoryError(
                .other, "replace", path, cause: "a daemon (pid \(pid)) uses it",
                hint: "systemctl stop pricewatch, or end it: kill \(pid)")
        }
    }

    private func replace(_ path: String) throws -> RestoredBackup {
        // SQLite puts the WAL beside a link's target.
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let folder = (place as NSString).deletingLastPathComponent
        var restored = RestoredBackup()
        try AtomicFile(path: place, mode: FileAccess.databaseMode).replace { temporary in
            try copy(to: temporary) { try restored.prepare($0, replacing: place) }
            FileAccess.hand(temporary, and: path + ".lock", toOwnerOf: place, in: folder)
            restored.replaced = try Self.keep(place)
        }
        // They are kept under their dated names. After a kill just before this line, `StaleWAL` recognizes the WAL.
        for suffix in ["-wal", "-shm"] { unlink(place + suffix) }
        Self.sync(folder)
        return restored
    }

    /// Gives the files of a database a second, dated name, which remains when the database is replaced.
    private static func keep(_ path: String) throws -> String? {
        let aside = FileNames.unused(path, mark: ".replaced-")
        for suffix in ["", "-wal", "-shm"] {
            if link(path + suffix, aside + suffix) == 0 || errno == ENOENT { continue }
            // Some file systems have no links.
            guard rename(path + suffix, aside + suffix) == 0 else { throw FileFault("set aside", path, errno) }
        }
        return FileHeader.size(of: aside) == nil ? nil : aside
    }
}

extension FileAccess {
    /// Gives a new database the owner and the mode of the one that it replaces, else the owner of its folder. Only root
    /// can change the owner; the daemon must also be able to open the lock file that root made.
    fileprivate static func hand(_ file: String, and lock: String, toOwnerOf replaced: String, in folder: String) {
        var model = stat()
        let isReplaced = stat(replaced, &model) == 0
        guard isReplaced || stat(folder, &model) == 0 else { return }
        chown(file, geteuid() == 0 ? model.st_uid : uid_t.max, model.st_gid)
        if isReplaced { chmod(file, model.st_mode & 0o7777) }
        if geteuid() == 0 { lchown(lock, model.st_uid, model.st_gid) }
    }
}

extension RestoredBackup {
    fileprivate mutating func prepare(_ copy: DatabaseQueue, replacing path: String) throws {
        try Schema.migrator.migrate(copy)
        try copy.read(Schema.refuseMissing)
        try copy.write { db in
            droppedMessages = try db.value("SELECT count(*) FROM message") ?? 0
            try db.execute(
                sql: "DELETE FROM message; DELETE FROM message_event; UPDATE event SET logged = 1 WHERE logged = 0")
        }
        try takeStates(of: path, into: copy)
        if continuesStates { droppedMessages = 0 }
        try copy.read(StateTables.check)
        let reader = HistoryReader(path: path, queue: copy)
        samples = try reader.size().samples
        newest = try reader.newestQuote()
    }

    /// What the replaced database knows of alerts, messages and requests is newer than the backup: without it, what was
    /// announced since the backup would be announced again. Only if it is a later state of the same history; a damaged
    /// one leaves the backup as it was.
    private mutating func takeStates(of path: String, into copy: DatabaseQueue) throws {
        guard let readable = try? DatabaseFile.openForReading(path, holdingLock: true) else { return }
        try readable.close()
        let isSettled = FileHeader.size(of: path + "-wal") == nil || FileHeader(of: path).isWithoutLog
        let old = "file:\(DatabaseFile.uriEscaped(path))?\(isSettled ? "immutable=1" : "mode=ro")"
        do {
            try copy.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS old", arguments: [old])
                defer { try? db.execute(sql: "DETACH old") }
                guard try db.value(Self.isSameHistory) == true else {
                    replacesOtherHistory = try db.value(Self.hasRecorded) == true
                    return
                }
                guard try db.value(Self.isLaterState) == true else { return }
                let event = try db.columns(in: "event").map(\.name).filter { $0 != "id" }.joined(separator: ", ")
                try db.inTransaction {
                    try db.execute(
                        sql: "INSERT OR IGNORE INTO event (\(event)) SELECT \(event) FROM old.event ORDER BY id")
                    try db.execute(sql: Self.states)
                    try StateTables.check(db)
                    return .commit
                }
                continuesStates = true
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw error
        } catch {
            return
        }
    }

    private static let isSameHistory = """
        SELECT EXISTS (SELECT 1 FROM main.poll JOIN old.poll USING (id, fetched_at))
            OR EXISTS (SELECT 1 FROM main.event JOIN old.event USING (event_id))
        """

    private static let hasRecorded = "SELECT EXISTS (SELECT 1 FROM old.poll) OR EXISTS (SELECT 1 FROM old.event)"

    private static let isLaterState = """
        SELECT max(ifnull((SELECT max(at) FROM old.poll), 0), ifnull((SELECT max(at) FROM old.event), 0))
            >= max(ifnull((SELECT max(at) FROM main.poll), 0), ifnull((SELECT max(at) FROM main.event), 0))
        """

    private static let states = """
        INSERT INTO main.message SELECT * FROM old.message;
        INSERT INTO main.message_event SELECT link.message, event.id FROM old.message_event AS link
            JOIN old.event AS past ON past.id = link.event JOIN main.event AS event USING (event_id);
        DELETE FROM main.alert;
        INSERT INTO main.alert SELECT * FROM old.alert;
        DELETE FROM main.told;
        INSERT INTO main.told SELECT * FROM old.told;
        DELETE FROM main.silence;
        INSERT INTO main.silence SELECT * FROM old.silence;
        INSERT OR REPLACE INTO main.setting SELECT * FROM old.setting WHERE name = 'digest';
        INSERT OR REPLACE INTO main.feed_note SELECT * FROM old.feed_note;
        INSERT OR REPLACE INTO main.feed_month SELECT * FROM old.feed_month;
        """
}
