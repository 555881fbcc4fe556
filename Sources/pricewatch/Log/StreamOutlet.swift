import Foundation
import Glibc
import Logging

/// Log lines on standard error or standard output.
struct StreamOutlet: LogOutlet {
    private let descriptor: CInt
    private let format: LineLogHandler.Format
    private let journal: Bool

    /// Standard error; for the journal, which keeps the time itself, with its priority prefix.
    static func standardError(_ format: LineLogHandler.Format, environment: [String: String]) -> StreamOutlet {
        StreamOutlet(descriptor: STDERR_FILENO, format: format, journal: environment["JOURNAL_STREAM"] != nil)
    }

    static let standardOutput = StreamOutlet(descriptor: STDOUT_FILENO, format: .text, journal: false)

    func write(_ line: LogLine) {
        let text = journal ? "<\(priority(line.level))>" + line.text(format, withTime: false) : line.text(format)
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Syslog's priorities.
    private func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
