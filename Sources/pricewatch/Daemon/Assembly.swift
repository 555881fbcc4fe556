import Feeds
import Foundation
import Glibc
import History
import Logging

/// Puts a daemon together from its configuration. The commands and the tests build it here and nowhere else.
struct Assembly {
    let cycle: Cycle
    let settings: CycleSettings
    let log: EventLog
    let systemd: SystemdNotifier
    let sender: Sender
    private let reading: ConfigurationReading
    private let surroundings: Surroundings
    private let logFile: LogFile?
    private let history: HistoryWriter
    let notebook: FeedNotebook
    private let publisher: StatusPublisher
    private let transport: NetworkTransport
    private let tellingOfPolls: [Task<Void, Never>]

    /// How the process stands to its surroundings.
    struct Surroundings {
        var environment: [String: String]
        var host: String
        var now: @Sendable () -> Date
        /// Log lines go here beside the log file.
        var outlet: (any LogOutlet)?
        /// False for a single poll.
        var staysAlive: Bool

        static func current(staysAlive: Bool, format: LineLogHandler.Format, outlet: (any LogOutlet)? = nil) -> Self {
            let environment = ProcessInfo.processInfo.environment
            return Surroundings(
                environment: environment, host: ProcessInfo.processInfo.hostName, now: { Date() },
                outlet: outlet ?? StreamOutlet.standardError(format, environment: environment), staysAlive: staysAlive)
        }
    }

    init(_ reading: ConfigurationReading, _ surroundings: Surroundings) async throws {
        try await self.init(reading, surroundings, after: nil)
    }

    /// The daemon under a new configuration: the same process, database and connections, everything else anew.
    init(_ reading: ConfigurationReading, succeeding running: Assembly) async throws {
        var reading = reading
        let waiting = KeptUntilRestart.apply(running.reading.configuration, to: &reading.configuration)
        try await self.init(reading, running.surroundings, after: running)
        for telling in running.tellingOfPolls { telling.cancel() }
        await running.cycle.handOver()
        log.tell(reading, settings, waitingForRestart: waiting)
    }

    private init(
        _ reading: ConfigurationReading, _ surroundings: Surroundings, after running: Assembly?
    ) async throws {
        let configuration = reading.configuration
        let now = surroundings.now
        self.reading = reading
        self.surroundings = surroundings
        let format = LineLogHandler.Format(configuration.log.format)
        let logFile = configuration.log.file.map { LogFile(path: $0, format: format) }
        logFile?.open()
        self.logFile = logFile
        let outlets: [any LogOutlet] = [logFile as (any LogOutlet)?, surroundings.outlet].compactMap { $0 }
        log = EventLog(
            Logger(label: "pricewatch") { _ in
                LineLogHandler(level: Logger.Level(configuration.log.level), outlets: outlets, now: now)
            })

        let database = configuration.history.database
        // Nothing else waits for a single poll.
        history =
            try running?.history
            ?? (surroundings.staysAlive
                ? HistoryWriter(at: database) : HistoryWriter(at: database, patience: .seconds(5)))
        // A single poll would ask and tell again what nobody could remember.
        if !surroundings.staysAlive, let fault = history.fault, fault.kind == .closed { throw fault }
        settings = CycleSettings(
            configuration, host: surroundings.host, startedAt: running?.settings.startedAt ?? now(),
            tellsOfGaps: surroundings.staysAlive)
        do { try AtomicFile(path: configuration.statusFile).makeFolder() } catch {
            throw Complaint("\(error)", Exit.inputOutput)
        }
        transport = try running?.transport ?? NetworkTransport()
        // What a full disk kept from being written is in it alone.
        notebook = running?.notebook ?? FeedNotebook(history)
        let (network, notebook) = (transport, notebook)
        let feeds = try configuration.feeds.map { try Self.feed($0, configuration, network, notebook) }
        let inherited = await running?.cycle.legacy
        let lanes = await Lanes(
            configuration, feeds: Dictionary(feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        ).succeeding(inherited?.awaited ?? [:], now: now())
        systemd = running?.systemd ?? SystemdNotifier(environment: surroundings.environment)
        let metrics = running?.publisher.metrics ?? configuration.metricsFile.map(MetricsFile.init(path:))
        publisher = StatusPublisher(
            path: configuration.statusFile, metrics: metrics, log: log,
            logFile: logFile, systemd: systemd, staysAlive: surroundings.staysAlive, after: running?.publisher)
        let logged = running == nil ? logFile.map(LoggedEvents.init(in:)) : nil
        let (settings, log, history, publisher) = (settings, log, history, publisher)
        let sender =
            try running?.sender
            ?? Self.mending(history) {
                Sender(history, queued: try history.reader.queuedMessages(), log: log, time: SystemTime())
            }
        self.sender = sender
        let heartbeat = configuration.heartbeat.map { Heartbeat($0, over: network, after: inherited?.heartbeat) }
        cycle = try Self.mending(history) {
            try Cycle(
                settings,
                inheriting: try inherited ?? Legacy(history, alreadyLogged: logged, start: settings.startedAt),
                lanes: lanes, history: history, sender: sender, heartbeat: heartbeat, publisher: publisher, log: log,
                now: now)
        }
        await sender.become(configuration.notify, settings.routing.channels, log: log) {
            $0.madeChannel(transport: network, environment: surroundings.environment, now: now)
        }
        tellingOfPolls = lanes.feeds.map { log.follow($0) }
        if running == nil { log.tellStart(reading, settings) }
    }

    var file: ConfigurationFile? { reading.file }

    /// The configuration as its file has it now; the built-in defaults where there was none and is none.
    func readAgain() throws(ConfigurationError) -> ConfigurationReading {
        try ConfigurationReading.read(option: file?.path)
    }

    func reopenLog() { logFile?.reopen() }

    private static func feed(
        _ settings: Configuration.Feed, _ configuration: Configuration, _ transport: NetworkTransport,
        _ notebook: FeedNotebook
    ) throws -> Feed {
        Feed(
            try settings.madeProvider(), try FeedEnvironment(settings, timeout: configuration.poll.timeout),
            transport: transport, memory: notebook, retry: RetryPolicy(configuration.poll.retry), time: SystemTime())
    }

    /// Closes what the network holds.
    func finish() async { await transport.shutdown() }

    /// A database that turns out to be damaged when its contents are read is set aside as one that cannot be opened is.
    private static func mending<Part>(_ history: HistoryWriter, _ build: () throws -> Part) throws -> Part {
        do {
            return try build()
        } catch let error as HistoryError where error.kind == .corrupt {
            try history.replace(damagedBy: error)
            return try build()
        }
    }
}

extension EventLog {
    fileprivate func tellStart(_ reading: ConfigurationReading, _ settings: CycleSettings) {
        let configuration = reading.configuration
        write(.info, "service.started") { line in
            line.add("version", Version.current)
            line.add("pid", Int(getpid()))
            line.add("database", configuration.history.database)
            line.add("status_file", configuration.statusFile)
            line.add("log_file", configuration.log.file)
        }
        tell(reading, settings)
    }

    /// - Parameter waiting: keys whose new values take effect at the next start.
    fileprivate func tell(
        _ reading: ConfigurationReading, _ settings: CycleSettings, waitingForRestart waiting: [String] = []
    ) {
        write(.info, "config.loaded") { line in
            line.add("file", reading.file?.path ?? "built-in defaults")
            line.add("feed", reading.configuration.feeds[0].name)
            line.add("markets", settings.watchlist.named.count)
            line.add("top", settings.watchlist.top)
            line.add("currency", settings.currency.code)
            line.add("every", settings.every)
            line.add("rules", settings.rules.count)
        }
        for warning in reading.warnings { write(.warning, "config.warning") { $0.add("message", "\(warning)") } }
        guard !waiting.isEmpty else { return }
        write(.warning, "config.warning") { line in
            line.add("message", "changed, and in force only after a restart: \(waiting.joined(separator: ", "))")
        }
    }
}
