import Foundation
import GRDB

extension HistoryReader {
    /// Copies the database, as it is at this moment, while its daemon writes on.
    ///
    /// The copy is checked from end to end before it takes the place of whatever was there. It is one file without a
    /// log, and whoever opens it for writing is an installation of its own.
    ///
    /// - Returns: The bytes of the copy.
    @discardableResult
    public func backUp(to file: String) throws(HistoryError) -> Int64 {
        try Self.refuseOwnFiles(of: path, file)
        try HistoryError.naming("back up to", file) {
            try AtomicFile(path: file, mode: FileAccess.databaseMode).replace { try copy(to: $0) }
        }
        // Power loss after the rename must not bring back what was there before.
        let folder = (file as NSString).deletingLastPathComponent
        _ = Self.sync(folder.isEmpty ? "." : folder)
        return FileHeader.size(of: file) ?? 0
    }

    private func copy(to temporary: String) throws {
        defer { for suffix in ["-wal", "-shm", "-journal"] { unlink(temporary + suffix) } }
        let copy = try DatabaseQueue(path: temporary)
        try queue.backup(to: copy)
        try copy.writeWithoutTransaction { db in
            // What a restored copy announces must not come under the ids of what was announced after it was made.
            try db.execute(sql: "DELETE FROM setting WHERE name = 'installation'")
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
        }
        if let fault = IntegrityCheck.fault(copy, "integrity_check", temporary) { throw fault }
        try copy.close()
        guard Self.sync(temporary) else { throw FileFault("sync", temporary, errno) }
    }

    /// Backing up onto the database or its log would destroy what is to be kept.
    private static func refuseOwnFiles(of path: String, _ file: String) throws(HistoryError) {
        for own in ["", "-wal", "-shm", ".lock"].map({ path + $0 }) {
            var (first, second) = (stat(), stat())
            let isSame =
                stat(own, &first) == 0 && stat(file, &second) == 0 && first.st_ino == second.st_ino
                && first.st_dev == second.st_dev
            guard isSame || own == file else { continue }
            throw HistoryError(
                .invalidTarget, "back up to", file, cause: "it belongs to the database itself",
                cure: "name another file")
        }
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw HistoryError(.invalidTarget, "back up to", file, cause: "it is no plain file", cure: "name a file")
        }
    }

    private static func sync(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        return descriptor >= 0 && fsync(descriptor) == 0
    }
}
