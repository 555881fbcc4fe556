import ArgumentParser
import Foundation
import Glibc
import HTTP
import History
import Markets
import Views

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A simulated market on loopback and the daemon on it: no network, no key, no root.",
        discussion: """
            Prices rise and fall, alerts fire and are resolved, and the provider fails for a moment. Ends by itself \
            or with Ctrl-C and leaves nothing behind.
            """)

    @Option(
        name: .customLong("for"), help: "How long, such as 30s or 2m. (default: 60s)",
        transform: { try Duration(argument: $0, examples: "30s or 2m") })
    var length = Duration.seconds(60)

    func run() async throws {
        let stage = try await DemoStage.build()
        let ending: [String]
        do {
            ending = try await play(on: stage)
        } catch {
            await stage.strike()
            throw error
        }
        // Removes the folder even if the reader of the output has gone.
        await stage.strike()
        StandardOutput.write(lines: ending)
    }

    /// Returns the closing message.
    private func play(on stage: DemoStage) async throws -> [String] {
        let terminal = Terminal.output
        let reading = try ConfigurationReading.read(option: stage.configurationPath)
        let configuration = reading.configuration
        let site = Site(configuration, path: stage.configurationPath, hosts: AllowedHosts())
        // Without a free port, the demo has no page.
        let page = try? await HTTPServer.start(on: .tcp("127.0.0.1", port: 0)) { await site.reply(to: $0) }
        let command = ["try meanwhile, in another terminal:", "pricewatch status --config \(stage.configurationPath)"]
        let address = (page?.port).map { ["or in a browser:", "http://127.0.0.1:\($0)/"] } ?? []
        let greeting = command + address
        StandardOutput.write(lines: [command, address].filter { !$0.isEmpty }.map { $0.joined(separator: " ") })
        let events = RecentEvents()
        let refreshEvents = RefreshEvents(keys: terminal.isTerminal)
        let started = Date()
        var environment = DaemonEnvironment()
        let outlet: any LogOutlet = terminal.isTerminal ? events : StreamOutlet.standardOutput
        environment.outlet = { _ in outlet }
        let daemon = Daemon(try await Bootstrap(reading, environment))
        let show = Task {
            if terminal.isTerminal {
                await DemoScreen(greeting: greeting, configuration: configuration, events: events).run(refreshEvents)
            } else {
                for await wake in refreshEvents.all { if case .suspended = wake { raise(SIGSTOP) } }
            }
            daemon.stop()
        }
        let clock = Task { [length] in
            try? await Task.sleep(for: length)
            refreshEvents.end()
        }
        _ = await daemon.run()
        await page?.stop()
        clock.cancel()
        refreshEvents.end()
        await show.value
        return events.newest(8, on: terminal, in: configuration.zone)
            + (try ending(of: configuration, since: started, until: Date(), terminal))
    }

    private func ending(
        of configuration: Configuration, since start: Date, until end: Date, _ terminal: Terminal
    ) throws -> [String] {
        let reader = try HistoryReader(at: configuration.history.database)
        let chart = try Chart(
            of: try MarketID(DemoStage.star), in: configuration.currency, from: reader, configuration, since: start,
            until: end)
        // Changes need earlier prices to compare with.
        let length = Duration.seconds(max(8, Int(end.since(start).inSeconds * 3 / 4)))
        var report = try MarketReport(
            recordedIn: reader, configuration, window: Window(text: length.unitsText, length: length), now: end)
        report.events = try reader.events(since: start)
        return [""] + TerminalChart(chart, on: terminal).lines + [""] + report.lines(on: terminal)
    }
}
