import ArgumentParser
import Foundation
import History
import Markets
import Views

struct Summary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summary",
        abstract: "Up from down: how many markets rose and fell, the largest moves, and how much was watched.")

    @OptionGroup var installation: InstallationOptions
    @Option(help: "Over which time: 1h, 24h, 7d … (default: 24h)", transform: Window.init(parsing:))
    var window = Window(text: "24h", length: .hours(24))
    @Flag(help: "For programs.")
    var json = false

    func run() async throws {
        let configuration = try installation.readForRecords().configuration
        let now = Date()
        var report = try daemonsOwn(configuration, at: now) ?? recorded(configuration, at: now)
        guard json else { return StandardOutput.write(lines: report.lines(on: .output)) }
        var writer = JSONWriter()
        writer.object { json in
            json.member("schema", 1)
            json.member("window_s", Int(window.length.inSeconds))
            json.member("at", now)
            report.status.summary.fields(&json)
        }
        StandardOutput.write(lines: [writer.text])
    }

    /// The daemon's summary covers only 24 h, and has the provider's changes for markets without 24 h of history.
    private func daemonsOwn(_ configuration: Configuration, at now: Date) -> MarketReport? {
        guard window.length == .hours(24), FileManager.default.fileExists(atPath: configuration.reports.status),
            let source = try? StatusSource(configuration, now: now), source.verdict(at: now).exit < 2
        else { return nil }
        let status = source.report(at: now)
        guard status.markets.contains(where: { $0.price != nil }) else { return nil }
        // If the history is unreadable, the summary has no events.
        let reader = try? HistoryReader(at: configuration.history.database)
        let events = try? reader?.events(since: now - window.length)
        return MarketReport(
            window: window, at: now, zone: configuration.zone, status: status, events: events ?? [])
    }

    private func recorded(_ configuration: Configuration, at now: Date) throws -> MarketReport {
        let reader = try HistoryReader(at: configuration.history.database)
        try CommandError.refuseEmpty(reader)
        return try MarketReport(recordedIn: reader, configuration, window: window, now: now)
    }
}

extension Window {
    @Sendable init(parsing text: String) throws {
        self.init(
            text: text,
            length: try Duration(argument: text, atLeast: .minutes(1), examples: "1h, 24h or 7d, at least 1m"))
    }
}
