import Foundation
import Logging
import Markets

/// Turns each log event into one line, as the log's contract has it, and hands it to the outlets.
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
        var fields = LogFields()
        if case .stringConvertible(let value) = event.metadata?[EventLog.fieldsKey], let ordered = value as? LogFields {
            fields = ordered
        } else {
            for (key, value) in (event.metadata ?? [:]).sorted(by: { $0.key < $1.key }) { fields.add(key, "\(value)") }
        }
        let line = LogLine(time: now(), level: event.level, event: "\(event.message)", fields: fields)
        for outlet in outlets { outlet.write(line) }
    }
}

/// One log event before it is put into words.
struct LogLine: Sendable {
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
    func write(_ line: LogLine)
}
