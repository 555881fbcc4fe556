import Foundation

/// The header of a file, read before SQLite opens it: shows whether it is an SQLite database, and whose.
struct FileHeader {
    private let bytes: [UInt8]
    /// Nil if there is no such file.
    private let size: Int64?
    private let hasLog: Bool
    /// A power loss in a checkpoint may leave zeros of the first page, which is in the log then.
    private let isInLog: Bool

    init(of path: String) {
        let handle = FileHandle(forReadingAtPath: path)
        defer { try? handle?.close() }
        bytes = (try? handle?.read(upToCount: 4096)).map(Array.init) ?? []
        size = Self.size(of: path)
        hasLog = Self.size(of: path + "-wal") ?? 0 > 0
        isInLog = bytes.prefix(512).allSatisfy { $0 == 0 } && Self.logHoldsFirstPage(path)
    }

    /// Source of the places: SQLite's file format, "The Write-Ahead Log".
    private static func logHoldsFirstPage(_ path: String) -> Bool {
        guard let log = FileHandle(forReadingAtPath: path + "-wal") else { return false }
        defer { try? log.close() }
        guard let header = try? log.read(upToCount: 32), header.count == 32 else { return false }
        var place: UInt64 = 32
        while true {
            guard (try? log.seek(toOffset: place)) != nil, let frame = try? log.read(upToCount: 16), frame.count == 16,
                // Frames of an earlier round have other salts.
                frame.suffix(8).elementsEqual(header[16..<24])
            else { return false }
            if frame.prefix(4).elementsEqual([0, 0, 0, 1]) { return true }
            place += 24 + UInt64(pageSize)
        }
    }

    /// True for a database that does not use a WAL: a backup, never an open database of ours.
    var isWithoutLog: Bool { isDatabase && bytes.count > Self.formPlace && bytes[Self.formPlace] == 1 }

    /// False where SQLite takes the file for one of a later version, which it only reads. No release writes such a file.
    var mayBeWritten: Bool { !isDatabase || bytes.count <= Self.writtenPlace || bytes[Self.writtenPlace] <= 2 }

    private static let magic = Array("SQLite format 3\0".utf8)
    private static let writtenPlace = 18
    private static let formPlace = 19
    private static let idPlace = 68..<72
    private static let pageSize = 4096

    /// Throws `.corrupt` for an empty file with a WAL: SQLite takes it for a new database and deletes the WAL, even
    /// when it only reads. Does not open the file, so it may be called at any time.
    static func refuseEmptied(_ path: String) throws(HistoryError) {
        guard size(of: path) == 0, size(of: path + "-wal") != nil else { return }
        throw HistoryError(.corrupt, "open", path, cause: "it is empty, and its write-ahead log is there", hint: hint)
    }

    /// Whether the rollback journal beside the file leaves a database of one page at most, which holds no table: a first
    /// start lost power before it had a WAL. Source of the places: SQLite's file format, "The Rollback Journal".
    static func isBeforeFirstTable(_ path: String) -> Bool {
        let handle = FileHandle(forReadingAtPath: path + "-journal")
        defer { try? handle?.close() }
        let header = (try? handle?.read(upToCount: 20)).map(Array.init) ?? []
        return header.count == 20 && header[16..<19].allSatisfy { $0 == 0 } && header[19] <= 1
    }

    /// Throws `.foreign` for a text file, `.corrupt` for a truncated or missing header.
    func refuseOthers(_ path: String) throws(HistoryError) {
        try Self.refuseEmptied(path)
        if isDatabase, bytes.count < Self.idPlace.upperBound {
            throw HistoryError(
                .corrupt, "open", path, cause: "it is cut off after \(bytes.count) bytes", hint: Self.hint)
        }
        if isText { throw Self.foreign(path) }
        if hasLog, !bytes.isEmpty, !isDatabase, !isInLog {
            throw HistoryError(
                .corrupt, "open", path, cause: "its header is gone, and its write-ahead log is there", hint: Self.hint)
        }
    }

    private static let hint = "set it aside with its log and restore a backup"

    /// True for another program's database and for a text file, which are never touched. Other bytes are taken for a
    /// damaged file of ours.
    var isForeign: Bool {
        if isText { return true }
        guard isDatabase, bytes.count >= Self.idPlace.upperBound else { return false }
        let id = bytes[Self.idPlace].reduce(0) { $0 << 8 | Int32($1) }
        // Until the first checkpoint, our application id is in the WAL alone.
        return id != Schema.applicationID && !(id == 0 && size ?? 0 <= Self.pageSize)
    }

    static func foreign(_ path: String) -> HistoryError {
        HistoryError(
            .foreign, "open", path, cause: "this is not a pricewatch database",
            hint: "name another file in history.database")
    }

    /// Readable, not empty, and not an SQLite database.
    var isOtherFile: Bool { !bytes.isEmpty && !isDatabase }

    private var isDatabase: Bool { bytes.starts(with: Self.magic) }

    private var isText: Bool {
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) else {
            return false
        }
        // The last character may be cut off.
        return (0...3).contains { String(bytes: bytes.dropLast($0), encoding: .utf8) != nil }
    }

    /// Nil if there is no such file.
    static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
