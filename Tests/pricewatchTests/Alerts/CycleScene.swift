import Engine
import Feeds
import Foundation
import History
import Logging
import MarketSimulator
import Markets
import Synchronization
import TestSupport

@testable import pricewatch

/// A daemon's cycle on a simulated provider, with a clock that is stepped by hand. Gone with the test.
final class CycleScene {
    let files: ConfigurationScene
    let simulator: CoinGeckoSimulator
    let time: HandClock
    private let every: Duration
    private let paths: String
    private(set) var rules: String
    private var running: (history: HistoryWriter, notebook: FeedNotebook, transport: NetworkTransport, started: Date)?
    private(set) var cycle: Cycle?
    private(set) var sender: Sender?
    /// On top of the network, for what is asked of the feeds.
    var reaching: (@Sendable (NetworkTransport) -> any HTTPTransport)?
    /// Beside the status file; nil: none.
    var metrics: MetricsFile?
    /// In place of the real channels.
    var channels: (@Sendable (Configuration.Channel) -> any pricewatch.Channel)?

    /// - Parameters:
    ///   - rules: `alerts:` and whatever else a configuration says beside feeds and paths.
    ///   - preferred: what the simulator is asked as.
    ///   - feeds: further ones, each after a comma.
    ///   - history: further keys, each after a comma.
    ///   - providerKeepsTime: the provider's clock goes right where the daemon's is set.
    init(
        _ rules: String, script: [MarketID: [Price]], seed: UInt64 = 1, stepsEvery: Duration? = nil,
        confirmMovesOver: String = "20%", preferred: String = "provider: coingecko", feeds: String = "",
        history: String = "", time: HandClock = HandClock(), providerKeepsTime: Bool = false,
        every: Duration = .minutes(1)
    ) async throws {
        self.time = time
        self.every = every
        files = try ConfigurationScene()
        simulator = try await CoinGeckoSimulator.start(
            seed: seed, script: script, stepsEvery: stepsEvery,
            now: { providerKeepsTime ? time.rightTime : time.now() })
        self.rules = rules
        paths = """
            feeds: [{\(preferred), url: "\(simulator.baseURL)"}\(feeds)]
            poll: {every: \(every.unitsText), retry: {attempts: 1}, confirm_moves_over: \(confirmMovesOver)}
            history: {database: \(files.folder)/history.db, backfill: null\(history)}
            status_file: \(files.folder)/status.json
            log: {file: \(files.folder)/log}

            """
    }

    var database: String { files.folder + "/history.db" }
    var status: String { (try? String(contentsOfFile: files.folder + "/status.json", encoding: .utf8)) ?? "" }
    var log: String { (try? String(contentsOfFile: files.folder + "/log", encoding: .utf8)) ?? "" }

    var configuration: Configuration {
        get throws { try files.reading(paths + rules).configuration }
    }

    func start() async throws {
        let history = try HistoryWriter(at: try configuration.history.database)
        running = (history, FeedNotebook(history), try NetworkTransport(time: StalledTime()), time.now())
        try await assemble()
        await cycle?.tellUntold()
        await sender?.begin()
    }

    /// Starts under another configuration.
    func restart(_ rules: String) async throws {
        self.rules = rules
        try await start()
    }

    /// The daemon takes in another configuration.
    func reload(_ rules: String) async throws {
        self.rules = rules
        try await assemble()
    }

    private func assemble() async throws {
        guard let (history, notebook, transport, started) = running else { return }
        let configuration = try configuration
        let settings = CycleSettings(configuration, host: "box", startedAt: started)
        let file = LogFile(path: files.folder + "/log", format: .text)
        file.open()
        let log = EventLog(
            Logger(label: "test") { [time] _ in
                LineLogHandler(level: .info, outlets: [file], now: { time.now() })
            })
        var legacy =
            try await cycle?.legacy
            ?? Legacy(history, alreadyLogged: LoggedEvents(in: file), start: settings.startedAt)
        if cycle == nil { legacy.clocks = ClockWatch { [time] in time.reading } }
        if sender == nil {
            sender = Sender(
                history, queued: try history.reader.queuedMessages(), log: log, time: time, random: { 1 })
        }
        guard let sender else { return }
        let made: @Sendable (Configuration.Channel) -> any pricewatch.Channel =
            channels ?? { $0.madeChannel(transport: transport) }
        await sender.become(configuration.notify, settings.routing.channels, log: log, made: made)
        var asked: [String: Feed] = [:]
        for feed in configuration.feeds {
            asked[feed.name] = Feed(
                try feed.madeProvider(), try FeedEnvironment(feed, timeout: .hours(1)),
                transport: reaching?(transport) ?? transport, memory: notebook,
                retry: RetryPolicy(configuration.poll.retry), time: time)
        }
        let lanes = await Lanes(configuration, feeds: asked, time: time).succeeding(legacy.awaited, now: time.now())
        cycle = try Cycle(
            settings, inheriting: legacy, lanes: lanes, history: history,
            sender: sender, heartbeat: nil,
            publisher: StatusPublisher(
                path: configuration.statusFile, metrics: metrics, log: log, logFile: file,
                systemd: SystemdNotifier(environment: [:]), staysAlive: false),
            log: log, now: { [time] in time.now() })
    }

    /// Polls, a minute apart, and waits for what is sent of each.
    func poll(_ count: Int = 1) async {
        for _ in 0..<count {
            _ = await cycle?.turn()
            await sender?.rest()
            time.step(every)
        }
    }

    /// Polls as often as the daemon does.
    func pollWhenDue(_ count: Int = 1) async {
        for _ in 0..<count {
            _ = await cycle?.turn()
            await sender?.rest()
            if let next = await cycle?.untilNext { time.step(next) }
        }
    }

    /// Time passes without a poll.
    func pass(_ duration: Duration) async {
        time.step(duration)
        await sender?.advance()
        await sender?.rest()
    }

    /// Ends the daemon; another may start.
    func stop() async {
        await sender?.stop(within: .zero)
        await cycle?.close()
        (cycle, sender) = (nil, nil)
        await running?.transport.shutdown()
        running = nil
    }

    func finish() async {
        await stop()
        await simulator.stop()
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

    var reading: ClockReading {
        clock.withLock { ClockReading(wall: $0.now, boot: $0.uptime, awake: $0.uptime) }
    }

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
