import ArgumentParser
import Engine
import Foundation
import History
import Markets

struct Alerts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Alert events, and what fires now.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "Only what fires now.")
    var firing = false
    @Option(help: "From when on: a time, a date, or how long ago. (default: 7d)", transform: TimeArgument.parse)
    var since = TimeArgument.ago(.hours(24 * 7))
    @Flag(help: "For programs.")
    var json = false

    func run() async throws {
        try await CommandError.reporting {
            let configuration = try installation.readForRecords().configuration
            let reader = try HistoryReader(at: configuration.history.database)
            let now = Date()
            let active = ActiveAlerts(try reader.activeEvents()).firing
            let events = firing ? active : try reader.events(since: since.date(now: now))
            var output = StandardOutput()
            if json {
                var writer = JSONWriter()
                writer.object { json in
                    json.member("schema", 1)
                    json.array("events", events) { $1.write(&$0) }
                    json.array("firing", active) { $1.write(&$0) }
                }
                output.line(writer.text)
            } else {
                let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
                for line in AlertsView.lines(events, firing: active, onlyFiring: firing, terminal, now: now) {
                    output.line(line)
                }
            }
        }
    }
}

/// Events for people.
enum AlertsView {
    static func lines(
        _ events: [AlertEvent], firing: [AlertEvent], onlyFiring: Bool, _ terminal: Terminal, now: Date
    ) -> [String] {
        if onlyFiring, firing.isEmpty { return ["nothing fires"] }
        var lines: [String] = []
        if !onlyFiring {
            lines = events.isEmpty ? ["no events in this time"] : table(of: events).lines(on: terminal) + [""]
        }
        if onlyFiring || !events.isEmpty || !firing.isEmpty {
            lines += firing.isEmpty ? ["nothing fires now"] : firing.map { line($0, terminal, now: now) }
        }
        return lines
    }

    private static func table(of events: [AlertEvent]) -> Table {
        var table = Table([
            ("at", .left), ("event", .left), ("rule", .left), ("market", .left), ("price", .right),
            ("condition", .left), ("reason", .left),
        ])
        for event in events {
            let colour: Terminal.Colour? =
                switch event.kind {
                case .firing, .reminder: .red
                case .pending: .yellow
                case .resolved: .green
                }
            table.add([
                .init(event.at.utcText), .init(event.kind.rawValue, colour), .init(shortened(event.rule)),
                .init(event.market.text), .init(event.price.map { "\($0) \(event.currency)" } ?? "–"),
                .init(event.condition.description), .init(event.reason.rawValue),
            ])
        }
        return table
    }

    private static func line(_ event: AlertEvent, _ terminal: Terminal, now: Date) -> String {
        let since = event.since.map { " for \(now.since($0).roundedText)" } ?? ""
        let note = event.note.map { " – \(SafeText.printable($0, atMost: 80))" } ?? ""
        return terminal.paint("firing", .red)
            + " \(SafeText.printable(shortened(event.rule))): \(SafeText.printable(event.market.text)) "
            + "\(event.condition)\(since)\(note)"
    }

    /// Cuts long names, which may have 200 characters, so that the other columns stay visible.
    private static func shortened(_ name: String) -> String { SafeText.printable(name, atMost: 40) }
}
