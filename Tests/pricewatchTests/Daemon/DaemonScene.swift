import Channels
import Engine
import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import Synchronization
import TestSupport
import Testing

@testable import pricewatch

/// A daemon on a simulated provider, without sockets, with a clock that is stepped by hand. Built by the bootstrap that the
/// program uses; gone with the test.
final class DaemonScene {
    let files: ConfigurationScene
    let simulator: CoinGeckoSimulator
    let time: HandClock
    private let every: Duration
    private let paths: String
    private(set) var rules: String
    private(set) var daemon: Daemon?
    /// In place of the simulator.
    var transport: (any HTTPTransport)?
    var exports: [ExportSettings: Exporting] = [:]
    /// In place of the configured channels.
    var channels: (@Sendable (Configuration.Channel) -> any Channel)?

    /// - Parameters:
    ///   - rules: `alerts:` and whatever else a configuration says beside feeds and paths.
    ///   - preferred: what the simulator is asked as.
    ///   - feeds: further ones, each after a comma.
    ///   - history: further keys, each after a comma.
    ///   - polling: further keys of `poll`.
    ///   - providerKeepsTime: the provider's clock goes right where the daemon's is set.
    init(
        _ rules: String, script: [MarketID: [Price]], seed: UInt64 = 1, stepsEvery: Duration? = nil,
        confirmMovesOver: String = "20%", preferred: String = "provider: coingecko", feeds: String = "",
        history: String = "", time: HandClock = HandClock(), providerKeepsTime: Bool = false,
        every: Duration = .minutes(1), polling: String = "retry: {attempts: 1}"
    ) throws {
        self.time = time
        self.every = every
        files = try ConfigurationScene()
        simulator = CoinGeckoSimulator(
            seed: seed, script: script, stepsEvery: stepsEvery,
            now: { providerKeepsTime ? time.rightTime : time.now() })
        self.rules = rules
        paths = """
            feeds: [{\(preferred), url: "\(simulator.baseURL)"}\(feeds)]
            poll: {every: \(every.unitsText), \(polling), confirm_moves_over: \(confirmMovesOver)}
            history: {database: \(files.folder)/history.db, backfill: null\(history)}
            status_file: \(files.folder)/status.json
            log: {file: \(files.folder)/log}

            """
    }

    var database: String { files.folder + "/history.db" }
    var statusText: String { (try? String(contentsOfFile: files.folder + "/status.json", encoding: .utf8)) ?? "" }
    var log: String { (try? String(contentsOfFile: files.folder + "/log", encoding: .utf8)) ?? "" }

    func status() throws -> StatusReport { try #require(StatusReport(json: Data(statusText.utf8))) }

    private var reading: ConfigurationReading { get throws { try files.reading(paths + rules) } }
    var configuration: Configuration { get throws { try reading.configuration } }

    /// The lines of the log that are about this event.
    func log(_ event: String) -> [Substring] {
        log.split(separator: "\n").filter { $0.contains(" \(event) ") || $0.hasSuffix(" \(event)") }
    }

    func queued() throws -> [QueuedMessage] { try HistoryReader(at: database).queuedMessages() }

    func start() async throws {
        var environment = DaemonEnvironment(variables: [:], host: "box", now: { [time] in time.moment }, time: time)
        environment.transport = transport ?? SimulatedTransport(simulator)
        environment.channel = channels
        environment.exports = exports
        try write(rules)
        let daemon = Daemon(try await Bootstrap(try reading, environment))
        // The test wakes it; the real timer could start a poll between two steps.
        await daemon.timer.cancel()
        self.daemon = daemon
    }

    /// Writes the configuration to the file from which a reload reads it.
    func write(_ rules: String) throws {
        self.rules = rules
        try files.write(paths + rules, to: "etc/p.yaml")
    }

    /// Starts under another configuration.
    func restart(_ rules: String) async throws {
        self.rules = rules
        try await start()
    }

    /// The daemon takes in another configuration.
    func reload(_ rules: String) async throws {
        try write(rules)
        await daemon?.hangUp()
        await daemon?.drain()
    }

    /// Wakes the daemon now, and waits for what it starts.
    func wake() async {
        await daemon?.take(.woke)
        await daemon?.drain()
    }

    /// Polls, one interval apart, and waits for what is sent of each.
    func poll(_ count: Int = 1) async {
        for _ in 0..<count {
            await wake()
            time.step(every)
        }
    }

    /// Polls as often as the daemon does.
    func pollWhenDue(_ count: Int = 1) async {
        for _ in 0..<count {
            await wake()
            if let next = await daemon?.untilNextPoll(at: time.uptime()) { time.step(next) }
        }
    }

    /// Time passes without a poll; deliveries that fall due meanwhile come at its end.
    func pass(_ duration: Duration) async {
        time.step(duration)
        // Any input that starts no cycle.
        await daemon?.take(.heartbeat(fault: nil))
        await daemon?.drain()
    }

    /// Ends the daemon; another may start.
    func stop() async {
        await daemon?.finish()
        daemon = nil
    }
}

/// Time that stands still until it is stepped.
final class HandClock: TimeSource {
    private static let start = Date(timeIntervalSince1970: 1_795_255_200)
    private let clock = Mutex((now: HandClock.start, uptime: Duration.zero))

    func now() -> Date { clock.withLock { $0.now } }
    func uptime() -> Duration { clock.withLock { $0.uptime } }
    /// A limit within a poll is never reached, since no poll of a test waits.
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    var moment: Moment { clock.withLock { Moment(wall: $0.now, uptime: $0.uptime, awake: $0.uptime) } }

    /// What it would show if it had never been set.
    var rightTime: Date { Self.start + uptime() }

    /// Sets the clock forward or (below zero) back.
    func set(by step: Duration) { clock.withLock { $0.now = $0.now + step } }

    func step(_ duration: Duration) {
        clock.withLock {
            $0.now = $0.now + duration
            $0.uptime += duration
        }
    }
}
