import ArgumentParser
import Foundation
import History
import Markets

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "A simulated market on loopback and the daemon on it: no network, no key, no root.",
        discussion: "Ends by itself or with Ctrl-C and leaves nothing behind.")

    @Option(name: .customLong("for"), help: "How long.", transform: Demo.duration)
    var length = Duration.seconds(60)

    func run() async throws {
        try await Complaint.reporting {
            let stage = try await DemoStage.build()
            do {
                try await play(on: stage)
            } catch {
                await stage.strike()
                throw error
            }
            await stage.strike()
        }
    }

    private func play(on stage: DemoStage) async throws {
        var output = StandardOutput()
        output.line("try meanwhile, in another terminal: pricewatch status --config \(stage.configurationPath)")
        output.flush()
        let reading = try ConfigurationReading.read(option: stage.configurationPath)
        let assembly = try await Assembly(
            reading, .current(staysAlive: true, format: .text, outlet: StreamOutlet.standardOutput))
        let daemon = Daemon(assembly)
        let ending = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await StopSignal.wait() }
                group.addTask { [length] in try? await Task.sleep(for: length) }
                await group.next()
                group.cancelAll()
            }
            daemon.ticks.stop()
        }
        await daemon.run()
        ending.cancel()
        await ending.value
        await assembly.finish()
        let reader = try HistoryReader(at: reading.configuration.history.database)
        let window = max(length / 2, .seconds(8))
        let summary = try DaySummary(recordedIn: reader, reading.configuration, window: window, now: Date())
        output.line()
        for line in SummaryView.lines(summary, window: "the last \(window.unitsText)") { output.line(line) }
        output.flush()
    }

    @Sendable private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(unitsText: text), duration > .zero else {
            throw ValidationError("'\(text)' is no length of time: write 30s, 2m …")
        }
        return duration
    }
}
