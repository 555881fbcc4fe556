import Foundation
import Glibc
import Synchronization

/// The daemon's claim on a database: a record lock on a separate file, `history.db.lock`.
///
/// The database file itself is not used, since closing it would drop SQLite's own locks. The kernel releases the lock
/// when the process ends.
package final class DaemonLock: Sendable {
    private let descriptor: CInt
    private let file: FileIdentity

    /// The lock files that this process holds: closing one of them again would release its lock.
    private static let own = Mutex<Set<FileIdentity>>([])

    /// Takes the lock for the database at `database`, or throws `.locked` with the pid of its holder.
    package init(for database: String) throws(HistoryError) {
        let path = Self.path(for: database)
        FileAccess.create(path, mode: FileAccess.databaseMode)
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FileAccess.databaseMode)
        guard descriptor >= 0 else {
            let reason = errno
            // A user who may not take the lock may still see its holder.
            if let holder = Self.holder(of: database) { throw Self.held(database, by: holder) }
            if reason == EACCES { throw .closed("open", path) }
            throw HistoryError(
                .unwritable, "open", path, cause: FileFault("open", path, reason).cause,
                hint: "make its folder writable for this user")
        }
        FileAccess.restrict([path])
        var claim = wholeFile
        guard fcntl(descriptor, F_SETLK, &claim) == 0 else {
            let reason = errno
            close(descriptor)
            guard reason == EACCES || reason == EAGAIN else {
                throw HistoryError(.other, "lock", path, cause: FileFault("lock", path, reason).cause)
            }
            throw Self.held(database, by: Self.holder(of: database) ?? 0)
        }
        self.descriptor = descriptor
        let file = FileIdentity(at: path)
        self.file = file
        Self.own.withLock { _ = $0.insert(file) }
    }

    deinit {
        let file = file
        Self.own.withLock { _ = $0.remove(file) }
        close(descriptor)
    }

    /// The process that holds the database, 0 if it is in another container; nil if there is none.
    package static func holder(of database: String) -> Int32? {
        let file = FileIdentity(at: path(for: database))
        if own.withLock({ $0.contains(file) }) { return getpid() }
        let descriptor = open(path(for: database), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var probe = wholeFile
        guard fcntl(descriptor, F_GETLK, &probe) == 0, probe.l_type != Int16(F_UNLCK) else { return nil }
        return probe.l_pid
    }

    private static func held(_ database: String, by holder: Int32) -> HistoryError {
        HistoryError(
            .locked(pid: holder), "open", database, cause: "another pricewatch (pid \(holder)) holds this database",
            hint: "stop that one, or give this one a history.database of its own")
    }

    private static func path(for database: String) -> String { database + ".lock" }
}

/// What a file is, whatever its path is called.
private struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    init(at path: String) {
        var status = stat()
        stat(path, &status)
        (device, inode) = (status.st_dev, status.st_ino)
    }
}

/// A lock for writing on every byte.
private var wholeFile: flock {
    flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
}
