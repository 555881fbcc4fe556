import Foundation

/// Checks a path with system calls before SQLite opens it, since SQLite's errors are less specific.
enum FileAccess {
    /// Throws if `path` is a folder.
    static func refuseFolder(_ path: String) throws(HistoryError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw HistoryError(.foreign, "open", path, cause: "it is a folder", hint: "name a file in history.database")
    }

    static func refuseAbsent(_ path: String) throws(HistoryError) {
        if FileManager.default.fileExists(atPath: path) { return }
        throw HistoryError(.absent, "open", path, cause: "no such file", hint: "start the daemon: pricewatch run")
    }

    /// Throws if the file exists and this user may not write it.
    static func refuseClosed(_ path: String) throws(HistoryError) {
        if access(path, W_OK) != 0, errno == EACCES { throw .closed("write", path) }
    }

    /// Throws if the file exists and this user may not read it.
    static func refuseUnreadable(_ path: String) throws(HistoryError) {
        if access(path, R_OK) != 0, errno == EACCES { throw .unreadable(path, by: readers(of: path)) }
    }

    /// The mode of database, WAL, index and lock file. Not readable for others: a reader can hold locks that the daemon
    /// needs.
    static let databaseMode: mode_t = 0o640

    /// Gives existing files the group of their folder, if this user may, and removes mode bits beyond `databaseMode`.
    /// Works by path: closing a descriptor of the database would drop SQLite's locks.
    static func restrict(_ paths: [String]) {
        for path in paths {
            var (file, folder) = (stat(), stat())
            guard lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { continue }
            if stat((path as NSString).deletingLastPathComponent, &folder) == 0, folder.st_gid != file.st_gid {
                chown(path, uid_t.max, folder.st_gid)
            }
            if file.st_mode & 0o7777 & ~databaseMode != 0 { chmod(path, file.st_mode & databaseMode) }
        }
    }

    /// The group of the file or, if that cannot be read, of its folder. Never root's.
    private static func readers(of path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 || stat((path as NSString).deletingLastPathComponent, &status) == 0,
            status.st_gid != 0, let group = getgrgid(status.st_gid)
        else { return "pricewatch" }
        return String(cString: group.pointee.gr_name)
    }

    /// True if there is certainly no file at `path`; false in a folder that this user may not search.
    static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && errno != EACCES
    }

    /// Creates the folder of a file, and its parents.
    static func makeFolder(of path: String) throws(HistoryError) {
        do {
            try AtomicFile(path: path).makeFolder()
        } catch {
            if error.code == EACCES { throw .closed(error.operation, error.path) }
            throw HistoryError(
                .unwritable, error.operation, error.path, cause: error.cause,
                hint: "make it by hand for this user, or name another history.database")
        }
    }
}
