import ArgumentParser
import Engine
import Foundation
import History
import Markets
import Views

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
        let (configuration, reader) = try installation.openHistory()
        let now = Date()
        let active = ActiveAlerts(try reader.activeEvents()).firing
        let events = firing ? active : try reader.events(since: since.date(now: now, in: configuration.zone))
        if json {
            var writer = JSONWriter()
            writer.object { json in
                json.member("schema", 1)
                json.array("events", events) { $1.write(&$0) }
                json.array("firing", active) { $1.write(&$0) }
            }
            StandardOutput.write(lines: [writer.text])
        } else {
            StandardOutput.write(
                lines: AlertsView.lines(
                    events, firing: active, onlyFiring: firing, .output, in: configuration.zone, now: now))
        }
    }
}

/// Events for people.
enum AlertsView {
    static func lines(
        _ events: [AlertEvent], firing: [AlertEvent], onlyFiring: Bool, _ terminal: Terminal, in zone: Zone,
        now: Date
    ) -> [String] {
        let active =
            firing.isEmpty ? ["nothing fires now"] : firing.map { $0.line("firing", .red, on: terminal, now: now) }
        if onlyFiring { return active }
        return (events.isEmpty ? ["no events in this time"] : table(of: events, in: zone).lines(on: terminal)) + [""]
            + active
    }

    private static func table(of events: [AlertEvent], in zone: Zone) -> Table {
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
                .init(zone.text(event.at)),
                .init(event.kind.rawValue + (event.silencedUntil == nil ? "" : " (silenced)"), colour),
                .init(SafeText.printable(event.rule, atMost: 40)),
                .init(event.market.text), .init(event.price.map { "\($0) \(event.currency)" } ?? "–"),
                .init(event.condition.description), .init(event.reason.word),
            ])
        }
        return table
    }
}
