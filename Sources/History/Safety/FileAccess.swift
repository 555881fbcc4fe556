import Foundation

/// What the system says of a path before SQLite, which knows fewer words for it, is asked.
enum FileAccess {
    /// Throws where a folder lies in the database's place.
    static func refuseFolder(_ path: String) throws(HistoryError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        throw HistoryError(.foreign, "open", path, cause: "it is a folder", cure: "name a file in history.database")
    }

    /// Throws where the file is there and this user may not write it.
    static func refuseClosed(_ path: String) throws(HistoryError) {
        if access(path, W_OK) != 0, errno == EACCES { throw .closed("write", path) }
    }

    /// Whether it is known that nothing lies at `path`; a closed folder keeps it to itself.
    static func isAbsent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 && errno != EACCES
    }

    /// Makes the folder with those above it.
    static func makeFolder(_ path: String) throws(HistoryError) {
        var status = stat()
        if path.isEmpty || stat(path, &status) == 0 { return }
        try makeFolder((path as NSString).deletingLastPathComponent)
        guard mkdir(path, 0o755) != 0, errno != EEXIST else { return }
        if errno == EACCES { throw .closed("make the folder", path) }
        throw HistoryError(
            .unwritable, "make the folder", path, cause: String(cString: strerror(errno)).lowercased(),
            cure: "make it by hand for this user, or name another history.database")
    }
}
