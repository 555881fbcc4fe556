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
    private let transport: NetworkTransport

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
        let configuration = reading.configuration
        let now = surroundings.now
        let format = LineLogHandler.Format(configuration.log.format)
        let logFile = configuration.log.file.map { LogFile(path: $0, format: format) }
        logFile?.open()
        let outlets: [any LogOutlet] = [logFile as (any LogOutlet)?, surroundings.outlet].compactMap { $0 }
        log = EventLog(
            Logger(label: "pricewatch") { _ in
                LineLogHandler(level: Logger.Level(configuration.log.level), outlets: outlets, now: now)
            })

        let history = try HistoryWriter(at: configuration.history.database)
        let feedSettings = configuration.feeds[0]
        settings = CycleSettings(configuration, feed: feedSettings, host: surroundings.host, startedAt: now())
        transport = try NetworkTransport()
        let notebook = FeedNotebook(history)
        let network = transport
        let members = try configuration.feeds.map { try Self.member($0, configuration, network, notebook) }
        for member in members { log.follow(member.feed) }
        let feeds = FailoverFeed(members, every: settings.every)
        let publisher = StatusPublisher(
            path: configuration.statusFile, log: log, logFile: logFile,
            systemd: SystemdNotifier(environment: surroundings.environment), staysAlive: surroundings.staysAlive)
        do { try publisher.makeFolder() } catch { throw Complaint("\(error)", Exit.inputOutput) }
        let logged = logFile.map(LoggedEvents.init(in:))
        let (settings, log) = (settings, log)
        cycle = try Self.mending(history) {
            try Cycle(
                settings, feeds: feeds, history: history, publisher: publisher, alreadyLogged: logged, log: log,
                now: now)
        }
        log.tellStart(reading, configuration, settings, database: history.path)
    }

    private static func member(
        _ settings: Configuration.Feed, _ configuration: Configuration, _ transport: NetworkTransport,
        _ notebook: FeedNotebook
    ) throws -> FailoverFeed.Member {
        let feed = Feed(
            try settings.madeProvider(), try FeedEnvironment(settings, timeout: configuration.poll.timeout),
            transport: transport, memory: notebook, retry: RetryPolicy(configuration.poll.retry), time: SystemTime())
        let (watch, unmapped) = configuration.watch(at: settings)
        let currency = configuration.currency
        return FailoverFeed.Member(feed, watch: watch, unmapped: unmapped) { market in
            settings.id(of: Configuration.Market(id: market), in: currency)
        }
    }

    /// Closes what the network holds.
    func finish() async { await transport.shutdown() }

    /// A database that turns out to be damaged when its contents are read is set aside as one that cannot be opened is.
    private static func mending(_ history: HistoryWriter, _ build: () throws -> Cycle) throws -> Cycle {
        do {
            return try build()
        } catch let error as HistoryError where error.kind == .corrupt {
            try history.replace(damagedBy: error)
            return try build()
        }
    }
}

extension EventLog {
    fileprivate func tellStart(
        _ reading: ConfigurationReading, _ configuration: Configuration, _ settings: CycleSettings, database: String
    ) {
        write(.info, "service.started") { line in
            line.add("version", Version.current)
            line.add("pid", Int(getpid()))
            line.add("database", database)
            line.add("status_file", configuration.statusFile)
            line.add("log_file", configuration.log.file)
        }
        write(.info, "config.loaded") { line in
            line.add("file", reading.file?.path ?? "built-in defaults")
            line.add("feed", configuration.feeds[0].name)
            line.add("markets", settings.watchlist.named.count)
            line.add("top", settings.watchlist.top)
            line.add("currency", settings.currency.code)
            line.add("every", settings.every)
            line.add("rules", settings.rules.count)
        }
        for warning in reading.warnings { write(.warning, "config.warning") { $0.add("message", "\(warning)") } }
    }
}
