import Foundation

/// Checks a path with system calls before SQLite opens it, since SQLite's errors are less specific, and sets the modes
/// of new files.
package enum FileAccess {
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

    /// Gives a file that this process has just created all of its mode if systemd started the process; else the umask,
    /// which is its user's, has already taken from it.
    ///
    /// The umask of a unit is for what exec channels create. The modes of the unit's folders restrict these files.
    static func grant(_ mode: mode_t, to descriptor: CInt) {
        if isService { fchmod(descriptor, mode) }
    }

    /// Creates an empty file with its mode; an existing file keeps what it has. Errors appear when it is opened.
    package static func create(_ path: String, mode: mode_t) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return }
        grant(mode, to: descriptor)
        close(descriptor)
    }

    /// Whether systemd started this very process: it names the pid, so that a child that inherits the environment is
    /// not taken for the service (systemd.exec(5)).
    private static let isService = getenv("SYSTEMD_EXEC_PID").map { String(cString: $0) } == String(getpid())

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
