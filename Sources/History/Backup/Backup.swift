import Foundation
import GRDB

extension HistoryReader {
    /// Copies the database as it is at this moment, while the daemon may be writing.
    ///
    /// The copy passes an integrity check before it replaces the target. It is a single file without a WAL, and gets a
    /// new installation id when it is first opened for writing.
    ///
    /// - Returns: The size of the copy in bytes.
    @discardableResult
    package func backUp(to file: String) throws(HistoryError) -> Int64 {
        try Self.refuseOwnFiles(of: path, file, "back up to")
        try HistoryError.naming("back up to", file) {
            try AtomicFile(path: file, mode: FileAccess.databaseMode).replace { try copy(to: $0) }
        }
        // Syncs the folder, so that a power loss cannot undo the rename.
        let folder = (file as NSString).deletingLastPathComponent
        Self.sync(folder.isEmpty ? "." : folder)
        return FileHeader.size(of: file) ?? 0
    }

    /// - Parameter prepare: changes the copy before its integrity check.
    func copy(to temporary: String, _ prepare: (DatabaseQueue) throws -> Void = { _ in }) throws {
        defer { for suffix in ["-wal", "-shm", "-journal"] { unlink(temporary + suffix) } }
        let copy = try DatabaseQueue(path: temporary)
        try queue.backup(to: copy)
        try copy.writeWithoutTransaction { db in
            // A restored copy must not reuse event ids that the original handed out after the backup.
            try db.execute(sql: "DELETE FROM setting WHERE name = 'installation'")
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        try prepare(copy)
        if let fault = IntegrityCheck.fault("integrity_check", temporary, in: { copy }) { throw fault }
        try copy.close()
        guard Self.sync(temporary) else { throw FileFault("sync", temporary, errno) }
    }

    /// Refuses the database and its WAL as a backup: writing onto them would destroy the original.
    static func refuseOwnFiles(of path: String, _ file: String, _ operation: String) throws(HistoryError) {
        var (own, target) = (stat(), stat())
        let isPresent = stat(file, &target) == 0
        for path in ["", "-wal", "-shm", ".lock"].map({ path + $0 }) {
            let isSame =
                isPresent && stat(path, &own) == 0 && (own.st_ino, own.st_dev) == (target.st_ino, target.st_dev)
            guard isSame || path == file else { continue }
            throw HistoryError(
                .invalidTarget, operation, file, cause: "it belongs to the database itself",
                hint: "name another file")
        }
        if isPresent, target.st_mode & S_IFMT != S_IFREG {
            throw HistoryError(.invalidTarget, operation, file, cause: "it is no plain file", hint: "name a file")
        }
    }

    @discardableResult
    static func sync(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        return descriptor >= 0 && fsync(descriptor) == 0
    }
}
