import Engine
import Foundation
import Glibc
import Logging
import Markets

/// Formats each log event as one line and writes it to the outlets.
struct LineLogHandler: LogHandler {
    enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    let outlets: [any LogOutlet]
    let now: @Sendable () -> Date

    init(level: Logger.Level, outlets: [any LogOutlet], now: @escaping @Sendable () -> Date) {
        logLevel = level
        self.outlets = outlets
        self.now = now
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard case .stringConvertible(let value) = event.metadata?[EventLog.fieldsKey], let fields = value as? LogFields
        else { return }
        let line = LoggedLine(time: now(), level: event.level, event: "\(event.message)", fields: fields)
        for outlet in outlets { outlet.write(line) }
    }
}

/// One log event before formatting.
struct LoggedLine: Sendable {
    var time: Date
    var level: Logger.Level
    var event: String
    var fields: LogFields

    func text(_ format: LineLogHandler.Format, withTime: Bool = true) -> String {
        switch format {
        case .text:
            return (withTime ? time.utcTextWithMilliseconds + " " : "") + "\(level) \(event)\(fields)\n"
        case .json:
            var json = JSONWriter(reserving: 256)
            json.object { json in
                json.member("time", time.utcTextWithMilliseconds)
                json.member("level", level.rawValue)
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

/// The service's log: named events with ordered fields.
struct EventLog: Sendable {
    /// The metadata key of the ordered fields: swift-log's metadata dictionary has no order.
    static let fieldsKey = "fields"

    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func write(_ line: LogLine) {
        let level = Logger.Level(line.level)
        // Alerts and the service's start and stop are written at every level.
        let always = line.event.hasPrefix("alert.") || line.event.hasPrefix("service.")
        guard always || level >= logger.logLevel else { return }
        logger.handler.log(
            event: LogEvent(
                level: level, message: "\(line.event)", metadata: [Self.fieldsKey: .stringConvertible(line.fields)],
                source: "pricewatch", file: #fileID, function: #function, line: #line))
    }
}

extension Logger.Level {
    init(_ level: LogLine.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}

/// Writes log lines to standard error or standard output.
struct StreamOutlet: LogOutlet {
    private let descriptor: CInt
    private let format: LineLogHandler.Format
    private let journal: Bool

    /// Standard error. Under systemd, lines have a priority prefix and no time, which the journal adds.
    static func standardError(_ format: LineLogHandler.Format, environment: [String: String]) -> StreamOutlet {
        StreamOutlet(descriptor: STDERR_FILENO, format: format, journal: environment["JOURNAL_STREAM"] != nil)
    }

    static let standardOutput = StreamOutlet(descriptor: STDOUT_FILENO, format: .text, journal: false)

    func write(_ line: LoggedLine) {
        let text = journal ? "<\(priority(line.level))>" + line.text(format, withTime: false) : line.text(format)
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Syslog priorities.
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
