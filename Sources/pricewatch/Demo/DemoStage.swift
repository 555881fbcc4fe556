import Foundation
import History
import MarketSimulator
import Markets

/// The demo's environment: a simulated provider and a temporary folder.
struct DemoStage {
    let configurationPath: String
    private let simulator: CoinGeckoSimulator
    private let folder: String

    /// The market that the alerts are about.
    static let star = "solana"

    /// One request fails and its retry succeeds; later all requests of two polls fail: an outage.
    private static let faults: [Fault] =
        [.ok, .ok, .status(503), .ok, .ok, .ok, .ok] + Array(repeating: .status(503), count: 6) + [.ok, .ok, .ok]

    /// Crosses the rule's threshold up and down within twenty seconds, repeatedly.
    private static let script = ["148.2", "150.1", "152.6", "156.4", "157.9", "153.3", "150.8", "149.5"]

    static func build() async throws -> DemoStage {
        let folder = NSTemporaryDirectory() + "pricewatch-demo-" + UUID().uuidString.prefix(8).lowercased()
        // Creates only this folder, without its parents, which would be left behind.
        guard mkdir(folder, 0o755) == 0 else {
            throw CommandError("\(FileFault("make the folder", folder, errno))", Exit.inputOutput)
        }
        do {
            let simulator = try await CoinGeckoSimulator.start(
                seed: UInt64.random(in: 1...9999),
                script: [try MarketID(star): script.compactMap { Price(parsing: $0) }], faults: faults)
            let path = folder + "/pricewatch.yaml"
            try Data(configuration(url: simulator.baseURL, folder: folder).utf8).write(to: URL(filePath: path))
            return DemoStage(configurationPath: path, simulator: simulator, folder: folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw CommandError("\(error)", Exit.inputOutput)
        }
    }

    /// Removes the folder.
    func strike() async {
        await simulator.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func configuration(url: String, folder: String) -> String {
        """
        watch:
          markets: [bitcoin, ethereum, tether, ripple, solana, dogecoin, cardano, pepe]
        feeds:
          - {provider: coingecko, url: "\(url)"}
        poll:
          every: 2s
          stale_after: 3s
          retry: {attempts: 3, base: 100ms, cap: 200ms}
        history: {database: \(folder)/history.db, backfill: null}
        alerts:
          - {name: sol-above-155, market: solana, above: 155, clear: 154, severity: critical}
          - {name: sol-below-150, market: solana, below: 150, for: 1s}
        log: {file: \(folder)/pricewatch.log}
        status_file: \(folder)/status.json

        """
    }
}
