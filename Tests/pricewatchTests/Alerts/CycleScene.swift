import Feeds
import Foundation
import History
import Logging
import MarketSimulator
import Markets
import Synchronization

@testable import pricewatch

/// A daemon's cycle on a simulated provider, with a clock that is stepped by hand. Gone with the test.
final class CycleScene {
    let files: ConfigurationScene
    let simulator: CoinGeckoSimulator
    let time: HandClock
    private let text: String
    private var transport: NetworkTransport?
    private(set) var cycle: Cycle?

    /// - Parameters:
    ///   - rules: `alerts:` and whatever else a configuration says beside feeds and paths.
    ///   - feeds: further ones, each after a comma.
    init(
        _ rules: String, script: [MarketID: [Price]], seed: UInt64 = 1, confirmMovesOver: String = "20%",
        feeds: String = "", time: HandClock = HandClock()
    ) async throws {
        self.time = time
        files = try ConfigurationScene()
        var stage = CoinGeckoSimulator.Configuration()
        stage.seed = seed
        stage.script = script
        stage.now = { time.now() }
        simulator = try await CoinGeckoSimulator.start(stage)
        text = """
            feeds: [{provider: coingecko, url: "\(simulator.baseURL)"}\(feeds)]
            poll: {every: 1m, retry: {attempts: 1}, confirm_moves_over: \(confirmMovesOver)}
            history: {database: \(files.folder)/history.db}
            status_file: \(files.folder)/status.json
            log: {file: \(files.folder)/log}
            \(rules)
            """
    }

    var database: String { files.folder + "/history.db" }
    var status: String { (try? String(contentsOfFile: files.folder + "/status.json", encoding: .utf8)) ?? "" }
    var log: String { (try? String(contentsOfFile: files.folder + "/log", encoding: .utf8)) ?? "" }

    func start() async throws {
        let configuration = try files.reading(text).configuration
        let settings = CycleSettings(configuration, host: "box", startedAt: time.now())
        let file = LogFile(path: files.folder + "/log", format: .text)
        file.open()
        let log = EventLog(
            Logger(label: "test") { [time] _ in
                LineLogHandler(level: .info, outlets: [file], now: { time.now() })
            })
        let history = try HistoryWriter(at: configuration.history.database)
        let transport = try NetworkTransport()
        self.transport = transport
        var asked: [String: Feed] = [:]
        for feed in configuration.feeds {
            asked[feed.name] = Feed(
                try feed.madeProvider(), try FeedEnvironment(feed, timeout: .seconds(5)), transport: transport,
                memory: FeedNotebook(history), retry: RetryPolicy(configuration.poll.retry), time: time)
        }
        cycle = try Cycle(
            settings, inheriting: Legacy(history, alreadyLogged: LoggedEvents(in: file)),
            lanes: Lanes(configuration, feeds: asked, time: time), history: history,
            publisher: StatusPublisher(
                path: configuration.statusFile, metrics: nil, log: log, logFile: file,
                systemd: SystemdNotifier(environment: [:]), staysAlive: false),
            log: log, now: { [time] in time.now() })
        await cycle?.tellUntold()
    }

    func poll(_ count: Int = 1) async {
        for _ in 0..<count {
            _ = await cycle?.turn()
            time.step(.minutes(1))
        }
    }

    /// Ends the daemon; another may start.
    func stop() async {
        await cycle?.close()
        cycle = nil
        await transport?.shutdown()
        transport = nil
    }

    func finish() async {
        await stop()
        await simulator.stop()
    }
}

/// Time that stands still until it is stepped.
final class HandClock: TimeSource {
    private let clock = Mutex((now: Date(timeIntervalSince1970: 1_795_255_200), uptime: Duration.zero))

    func now() -> Date { clock.withLock { $0.now } }
    func uptime() -> Duration { clock.withLock { $0.uptime } }
    /// A limit within a poll is never reached, since no poll of a test waits.
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    func step(_ duration: Duration) {
        clock.withLock {
            $0.now = $0.now + duration
            $0.uptime += duration
        }
    }
}
