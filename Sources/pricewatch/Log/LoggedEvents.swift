import Foundation

/// Finds the alert events that are already in the log: a daemon killed between the log line and its commit must not log
/// an event twice.
struct LoggedEvents {
    /// Bytes searched at the end of each file: far more than the lines between two polls.
    private static let tail: UInt64 = 4 << 20
    private let text: String

    /// Reads the end of the log and of the last rotated log (`.1`).
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
