import Engine
import Foundation
import Glibc
import MarketSimulator
import Markets

@testable import pricewatch

/// The machine that the manual is written on: the home of a user with the configuration of the first five minutes, a
/// day of history, and the daemon at work on it. What it asks is a simulated market.
final class ManualMachine {
    private let home: TemporaryFolder
    private let fresh: TemporaryFolder
    private let tools: TemporaryFolder
    private let simulator: CoinGeckoSimulator
    private var daemon: Program.Running?

    /// Who lives there, as the manual has it.
    static let shownHome = "/home/anna"
    private static let every = Duration.minutes(10)
    private static let configuration = ".config/pricewatch/pricewatch.yaml"
    private static let state = ".local/state/pricewatch"

    var database: String { "\(home.path)/\(Self.state)/history.db" }

    /// - Parameter yaml: What the user wrote: what is watched, and the rules.
    init(_ yaml: String) async throws {
        home = try TemporaryFolder()
        fresh = try TemporaryFolder()
        tools = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: tools.path + "/pricewatch", withDestinationPath: Program.path)
        for folder in [".config/pricewatch", Self.state] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(folder)", withIntermediateDirectories: true)
        }
        let prices = try Self.prices()
        let past = try DaemonScene(yaml, script: prices, every: Self.every)
        let polls = prices.values.first?.count ?? 0
        past.time.step(.seconds(Date().timeIntervalSince1970 - past.time.now().timeIntervalSince1970))
        past.time.step(.zero - .minutes(2) - Self.every * (polls - 1))
        try await past.start()
        await past.poll(polls)
        await past.stop()
        for name in ["history.db", "history.db-wal", "history.db-shm"] {
            try? FileManager.default.moveItem(
                atPath: "\(past.files.folder)/\(name)", toPath: "\(home.path)/\(Self.state)/\(name)")
        }
        simulator = try await CoinGeckoSimulator.start(script: prices.mapValues { $0.suffix(1) })
        _ = home.write(
            yaml + "feeds: [{provider: coingecko, url: \"\(simulator.baseURL)\"}]\npoll: {every: 10m}\n",
            as: Self.configuration)
        daemon = try Program.start(["run"], environment: environment(home))
        try await eventually("the daemon's first poll") { log.contains("poll.ok") }
    }

    private var log: String { home.text("\(Self.state)/pricewatch.log") }

    func finish() async {
        daemon?.signal(SIGTERM)
        _ = await daemon?.ended()
        await simulator.stop()
    }

    /// Where the commands of `block` part from what the manual shows.
    func faults(in block: ConsoleBlock) async throws -> [ManualFault] {
        var faults: [ManualFault] = []
        var shown = shown
        shown.isExact = block.isExact
        for step in block.steps {
            let output = try await output(of: step.command, fresh: block.isFresh)
            if let fault = shown.fault(step.output, at: step.place, against: output) {
                faults.append(fault)
                // The whole output helps to correct the manual.
                print("\(step.place) $ \(step.command)\n\(output)")
            }
        }
        return faults
    }

    /// What a shell says in the user's home, both streams together.
    func output(of command: String, fresh isFresh: Bool = false) async throws -> String {
        try await Program.start(
            ["-c", "exec 2>&1; cd; " + command], program: "/bin/sh", environment: environment(isFresh ? fresh : home)
        ).ended().output
    }

    private var shown: ShownOutput {
        ShownOutput(names: [
            (home.path, Self.shownHome), (fresh.path, Self.shownHome),
            (simulator.baseURL, "https://api.coingecko.com/api/v3"),
        ])
    }

    private func environment(_ folder: TemporaryFolder) -> [String: String] {
        // The folders are the user's also where a test runs as root.
        let state = "\(folder.path)/\(Self.state)"
        return [
            "HOME": folder.path, "PATH": tools.path + ":/usr/bin:/bin", "LANG": "C.UTF-8", "STATE_DIRECTORY": state,
            "LOGS_DIRECTORY": state, "RUNTIME_DIRECTORY": state, "TMPDIR": tools.path,
        ]
    }

    /// A day and an hour, one price in ten minutes. Bitcoin is below 60,000 for half an hour, some hours ago; Solana
    /// has just fallen.
    private static func prices() throws -> [MarketID: [Price]] {
        let bends: [String: [(hour: Double, price: Double)]] = [
            "bitcoin": [(0, 62_410), (9, 63_980), (16, 60_650), (17.5, 59_420), (18.2, 61_300), (25, 61_926.35)],
            "ethereum": [(0, 3002), (8, 3110), (20, 2954), (25, 2987.41)],
            "solana": [(0, 148.2), (12, 151.6), (23, 157.9), (24.5, 156.4), (25, 147.1)],
        ]
        var prices: [MarketID: [Price]] = [:]
        for (id, bends) in bends {
            prices[try MarketID(id)] = (0...150).compactMap { step in
                let hour = Double(step) / 6
                let next = max(1, bends.firstIndex { $0.hour >= hour } ?? 1)
                let (from, to) = (bends[next - 1], bends[next])
                let level = from.price + (to.price - from.price) * (hour - from.hour) / (to.hour - from.hour)
                // A ripple, so that it looks like a market.
                let ripple = step == 150 ? 0 : 0.0012 * level * (Double((step * 37) % 11) - 5) / 5
                return Price(parsing: String(format: "%.2f", level + ripple))
            }
        }
        return prices
    }
}
