import Engine
import Foundation
import Markets

/// Quarantined databases are kept beside the new one, with a date in their names.
extension QuarantinedDatabase {
    private static let mark = ".damaged-"

    /// Renames the database, its WAL and its index. Deletes and overwrites nothing.
    static func quarantine(_ path: String, because error: HistoryError) throws(HistoryError) -> QuarantinedDatabase {
        let aside = FileNames.unused(path, mark: mark)
        for suffix in ["", "-wal", "-shm"] {
            if rename(path + suffix, aside + suffix) == 0 || (errno == ENOENT && !suffix.isEmpty) { continue }
            throw HistoryError(
                .unwritable, "set aside", path,
                cause: "it is damaged (\(error.cause)), and \(String(cString: strerror(errno)).lowercased())",
                hint: "move it away by hand, or restore a backup")
        }
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
        let aside = FileNames.unused(path, mark: ".replaced-")
        for suffix in ["-wal", "-shm"] {
            if rename(path + suffix, aside + suffix) == 0 || errno == ENOENT { continue }
            throw HistoryError(
                .unwritable, "set aside", path + suffix,
                cause: "it belongs to the database before the backup, and "
                    + String(cString: strerror(errno)).lowercased(),
                hint: "move it away by hand")
        }
    }
}

enum FileNames {
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
