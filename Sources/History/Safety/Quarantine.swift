import Engine
import Foundation
import GRDB
import Markets

/// Quarantined databases are kept beside the new one, with a date in their names.
extension QuarantinedDatabase {
    private static let mark = ".damaged-"

    /// Renames the database, its WAL and its index. Deletes and overwrites nothing.
    static func quarantine(_ path: String, because error: HistoryError) throws(HistoryError) -> QuarantinedDatabase {
        let aside = try FileNames.moveAside(
            path, ["", "-wal", "-shm"], mark: mark, because: "it is damaged (\(error.cause))",
            hint: "move it away by hand, or restore a backup")
        // SQLite deletes the WAL of an empty database. With a page of zeros it reads the contents from the WAL.
        if FileHeader.size(of: aside) == 0, FileHeader.size(of: aside + "-wal") ?? 0 > 0 { truncate(aside, 4096) }
        return QuarantinedDatabase(path: aside, cause: error.cause)
    }

    /// The quarantined databases beside the database at `path`, oldest first.
    static func found(beside path: String) -> [String] {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(name + mark) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            .map { folder + "/" + $0 }
    }
}

/// The WAL of a database that was moved away or replaced by a backup.
///
/// A killed process or a command may leave one. SQLite would apply it to the restored copy, and undo or damage it;
/// without a database, SQLite deletes it.
enum StaleWAL {
    /// True if the WAL beside the database at `path` cannot belong to it. Must not be called while this process has the
    /// database open: closing the file drops SQLite's locks.
    static func lies(beside path: String, _ header: @autoclosure () -> FileHeader) -> Bool {
        guard FileHeader.size(of: path + "-wal") ?? 0 > 0 else { return false }
        return FileHeader.size(of: path) == nil || header().isWithoutLog
    }

    /// Renames the WAL. Deletes and overwrites nothing.
    static func setAside(_ path: String) throws(HistoryError) {
        _ = try FileNames.moveAside(
            path, ["-wal", "-shm"], mark: ".replaced-", because: "its log belongs to the database before the backup",
            hint: "move the log away by hand")
    }
}

enum FileNames {
    /// Renames the files of a database, of which the first must exist. Deletes and overwrites nothing.
    static func moveAside(
        _ path: String, _ suffixes: [String], mark: String, because reason: String, hint: String
    ) throws(HistoryError) -> String {
        let aside = unused(path, mark: mark)
        for (place, suffix) in suffixes.enumerated() {
            if rename(path + suffix, aside + suffix) == 0 || (errno == ENOENT && place > 0) { continue }
            throw HistoryError(
                .unwritable, "set aside", path + suffix,
                cause: "\(reason), and \(FileFault("rename", path, errno).cause)", hint: hint)
        }
        return aside
    }

    /// `history.db.damaged-20261121T100000Z` for the mark `.damaged-`; with a number appended if that name is taken,
    /// also by a WAL or its index.
    static func unused(_ path: String, mark: String) -> String {
        let stamp = String(Date().utcText.filter { $0 != "-" && $0 != ":" })
        var name = path + mark + stamp
        var number = 2
        while ["", "-wal", "-shm"].contains(where: { FileManager.default.fileExists(atPath: name + $0) }) {
            name = "\(path)\(mark)\(stamp)-\(number)"
            number += 1
        }
        return name
    }
}

/// Copies the readable states of a damaged database to a new one, so that no event is announced twice. Prices and
/// candles are not copied: there are many, and the owner may restore them from a backup.
enum Recovery {
    /// Leaves the damaged database and its WAL unchanged.
    static func states(from damaged: String, into queue: DatabaseQueue) {
        // Errors are expected: what cannot be read is lost.
        guard let damaged = try? DatabaseFile.openForReading(damaged, holdingLock: true) else { return }
        try? damaged.read { old in
            try queue.write { new in
                for (table, check) in StateTables.all { try? copy(table, check, from: old, to: new) }
                try new.execute(sql: "UPDATE series SET newest_candle = NULL")
                try new.execute(sql: "UPDATE setting SET value = '0' WHERE name = 'candles_until'")
                // The ids of polls begin anew.
                try new.execute(sql: "UPDATE export SET poll = 0")
            }
        }
    }

    /// Copies row by row, up to the first unreadable row.
    private static func copy(
        _ table: String, _ check: (StoredRow) throws -> Void, from old: Database, to new: Database
    ) throws {
        // An earlier release had fewer columns.
        let known = Set(try new.columns(in: table).map(\.name))
        let names = try old.columns(in: table).map(\.name).filter(known.contains).joined(separator: ", ")
        try old.rows("SELECT \(names) FROM \(table)") { row in
            guard (try? check(row)) != nil else { return }
            let values = row.stored
            let places = values.map { _ in "?" }.joined(separator: ", ")
            try? new.run(
                "INSERT OR REPLACE INTO \(table) (\(names)) VALUES (\(places))", StatementArguments(values))
        }
    }
}

/// Reads a database from end to end.
enum IntegrityCheck {
    /// Returns the damage; nil if there is none.
    ///
    /// - Parameter pragma: `quick_check` or `integrity_check`.
    static func fault(
        _ pragma: String, _ path: String, in open: () throws(HistoryError) -> DatabaseQueue
    ) -> HistoryError? {
        do throws(HistoryError) {
            let queue = try open()
            let found = try HistoryError.naming("check", path) {
                try queue.read { try $0.value("PRAGMA \(pragma)(1)", as: String.self) }
            }
            guard let found, found != "ok" else { return nil }
            return HistoryError(.corrupt, "check", path, cause: found)
        } catch {
            return error.kind == .corrupt ? error : nil
        }
    }
}
