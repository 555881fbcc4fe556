import Engine
import Foundation
import Glibc
import Logging
import Markets

/// One log event before formatting.
struct LoggedLine: Sendable {
    var time: Date
    var level: LogLine.Level
    var event: String
    var fields: LogFields

    enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    func text(_ format: Format, withTime: Bool = true) -> String {
        switch format {
        case .text:
            return (withTime ? time.utcTextWithMilliseconds + " " : "") + "\(level) \(event)\(fields)\n"
        case .json:
            var json = JSONWriter(reserving: 256)
            json.object { json in
                json.member("time", time.utcTextWithMilliseconds)
                json.member("level", "\(level)")
                json.member("event", event)
                for (key, value) in fields.pairs {
                    json.name(key)
                    switch value {
                    case .text(let text): json.string(text)
                    case .number(let literal): json.number(literal)
                    }
                }
            }
            return json.text + "\n"
        }
    }
}

/// Where log lines go.
protocol LogOutlet: Sendable {
    func write(_ line: LoggedLine)
}

/// The service's log: named events with ordered fields. swift-log's metadata has no order, so of it only the levels are
/// used.
struct EventLog: Sendable {
    let level: Logger.Level
    let outlets: [any LogOutlet]
    let now: @Sendable () -> Date

    func write(_ line: LogLine) {
        // Alerts and the service's start and stop are written at every level.
        let always = line.event.hasPrefix("alert.") || line.event.hasPrefix("service.")
        guard always || Logger.Level(rawValue: "\(line.level)") ?? .info >= level else { return }
        let logged = LoggedLine(time: now(), level: line.level, event: line.event, fields: line.fields)
        for outlet in outlets { outlet.write(logged) }
    }
}

/// Writes log lines to standard error or standard output.
struct StreamOutlet: LogOutlet {
    private let descriptor: CInt
    private let format: LoggedLine.Format
    private let journal: Bool

    /// Standard error. Under systemd, lines have a priority prefix and no time, which the journal adds.
    static func standardError(_ format: LoggedLine.Format, environment: [String: String]) -> StreamOutlet {
        StreamOutlet(descriptor: STDERR_FILENO, format: format, journal: environment["JOURNAL_STREAM"] != nil)
    }

    static let standardOutput = StreamOutlet(descriptor: STDOUT_FILENO, format: .text, journal: false)

    func write(_ line: LoggedLine) {
        let text = journal ? "<\(priority(line.level))>" + line.text(format, withTime: false) : line.text(format)
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Syslog priorities.
    private func priority(_ level: LogLine.Level) -> Int {
        switch level {
        case .error: 3
        case .warning: 4
        case .info: 6
        case .debug: 7
        }
    }
}
