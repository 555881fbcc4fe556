import Foundation

/// Which alert events stand in the log already: a daemon that was killed between the log line and the note of it
/// must not say the same thing twice.
struct LoggedEvents {
    /// What is looked through: far more than the lines between two polls.
    private static let tail: UInt64 = 4 << 20
    private let text: String

    /// Looks at the end of the log, and of the one before it where it was rotated just then.
    init(in file: LogFile) {
        text = [file.path + ".1", file.path].map(Self.end(of:)).joined()
    }

    func contains(_ eventID: String) -> Bool {
        text.contains("event_id=\(eventID)") || text.contains("\"event_id\":\"\(eventID)\"")
    }

    private static func end(of path: String) -> String {
        guard FileKind(ofPath: path)?.takesLines == true else { return "" }
        guard let handle = FileHandle(forReadingAtPath: path), let size = try? handle.seekToEnd() else { return "" }
        defer { try? handle.close() }
        try? handle.seek(toOffset: size > tail ? size - tail : 0)
        return (try? handle.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
