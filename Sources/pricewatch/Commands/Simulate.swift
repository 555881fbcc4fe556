import ArgumentParser
import Foundation
import MarketSimulator
import UnixSignals
import Views

struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "A simulated market on loopback that speaks as CoinGecko does; prints its base URL first.",
        discussion: "Put the URL into feeds[].url of a configuration. It answers until Ctrl-C.")

    @Option(help: "The port; 0: a free one.")
    var port = 0
    @Option(help: "The same seed gives the same prices, answer by answer.")
    var seed: UInt64 = 1
    @Option(
        name: .customLong("fault"),
        help: "Faults, walked through request by request and then again: \(Fault.words.joined(separator: " ")).",
        transform: Fault.list)
    var faults: [Fault] = []

    func run() async throws {
        let simulator: CoinGeckoSimulator
        do {
            simulator = try await CoinGeckoSimulator.start(port: port, seed: seed, faults: faults)
        } catch {
            throw CommandError("\(error)", Exit.inputOutput)
        }
        StandardOutput.write(lines: [simulator.baseURL])
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
        await simulator.stop()
    }
}
