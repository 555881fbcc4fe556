import Foundation
import GRDB

extension HistoryReader {
    /// Copies the database, as it is at this moment, while its daemon writes on.
    ///
    /// The copy is written beside `file` under a name of its own, checked from end to end, and only then takes the
    /// place of whatever was there. It is one file without a log, and whoever opens it for writing is an installation of
    /// its own.
    ///
    /// - Returns: The bytes of the copy.
    @discardableResult
    public func backUp(to file: String) throws(HistoryError) -> Int64 {
        try Self.refuseOwnFiles(of: path, file)
        let draft = "\(file).\(getpid()).partial"
        Self.removeDrafts(of: file)
        defer { Self.remove(draft) }
        try HistoryError.naming("back up to", file) {
            let copy = try DatabaseQueue(path: draft)
            try queue.backup(to: copy)
            try copy.writeWithoutTransaction { db in
                // What a restored copy announces must not come under the ids of what was announced after it was made.
                try db.execute(sql: "DELETE FROM setting WHERE name = 'installation'")
                try db.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            if let fault = IntegrityCheck.fault(copy, "integrity_check", draft) { throw fault }
            try copy.close()
            try Self.settle(draft, as: file)
        }
        return FileHeader.size(of: file) ?? 0
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

    /// Power loss after the rename must not leave an empty file under the name.
    private static func settle(_ draft: String, as file: String) throws(HistoryError) {
        let descriptor = open(draft, O_RDONLY | O_CLOEXEC)
        let synced = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard synced, rename(draft, file) == 0 else {
            throw HistoryError(
                .unwritable, "back up to", file, cause: String(cString: strerror(errno)).lowercased())
        }
        let folder = (file as NSString).deletingLastPathComponent
        let directory = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    /// Those that killed backups to the same file left behind.
    private static func removeDrafts(of file: String) {
        let (folder, name) = ((file as NSString).deletingLastPathComponent, (file as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        for found in names where found.hasPrefix(name + ".") && found.hasSuffix(".partial") {
            guard let pid = Int32(found.dropFirst(name.count + 1).dropLast(8)), pid > 0, kill(pid, 0) != 0,
                errno == ESRCH
            else { continue }
            remove((folder.isEmpty ? "" : folder + "/") + found)
        }
    }

    private static func remove(_ draft: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) }
    }
}
