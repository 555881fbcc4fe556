import Foundation

/// A damaged database that was set aside under a dated name beside the new one.
public struct ReplacedDatabase: Hashable, Sendable {
    /// Where it is now.
    public let path: String
    /// What was wrong with it.
    public let cause: String

    private static let mark = ".damaged-"

    /// Renames the database and the files of its log. Nothing is deleted and nothing is overwritten.
    static func setAside(_ path: String, because error: HistoryError) throws(HistoryError) -> ReplacedDatabase {
        let aside = FileNames.unused(path, mark: mark)
        for suffix in ["", "-wal", "-shm"] {
            if rename(path + suffix, aside + suffix) == 0 || (errno == ENOENT && !suffix.isEmpty) { continue }
            throw HistoryError(
                .unwritable, "set aside", path,
                cause: "it is damaged (\(error.cause)), and \(String(cString: strerror(errno)).lowercased())",
                cure: "move it away by hand, or restore a backup")
        }
        // SQLite deletes the log of an empty database; what a page of zeros should hold it takes from the log.
        if FileHeader.size(of: aside) == 0, FileHeader.size(of: aside + "-wal") ?? 0 > 0 { truncate(aside, 4096) }
        return ReplacedDatabase(path: aside, cause: error.cause)
    }

    /// Those that lie beside the database at `path`, oldest first.
    static func found(beside path: String) -> [String] {
        let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(name + mark) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
            .map { folder + "/" + $0 }
    }
}
