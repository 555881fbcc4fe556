import Foundation

/// The write-ahead log of a database that its owner has moved away, or in whose place a backup was put.
///
/// A kill leaves one, and so does a command, and SQLite would play it over the copy: what was restored would be undone,
/// or damaged. Where there is no database, SQLite deletes it.
enum OldLog {
    /// Whether the log beside the database at `path` cannot be its own. Not to be asked where this process has the
    /// database open: closing the file drops SQLite's locks.
    static func lies(beside path: String, _ header: @autoclosure () -> FileHeader) -> Bool {
        guard FileHeader.size(of: path + "-wal") ?? 0 > 0 else { return false }
        return FileHeader.size(of: path) == nil || header().isWithoutLog
    }

    /// Renames it. Nothing is deleted and nothing overwritten.
    static func setAside(_ path: String) throws(HistoryError) {
        let aside = FileNames.unused(path, mark: ".replaced-")
        for suffix in ["-wal", "-shm"] {
            if rename(path + suffix, aside + suffix) == 0 || errno == ENOENT { continue }
            throw HistoryError(
                .unwritable, "set aside", path + suffix,
                cause: "it belongs to the database before the backup, and "
                    + String(cString: strerror(errno)).lowercased(),
                cure: "move it away by hand")
        }
    }
}
