import Channels
import Engine
import Feeds
import Foundation
import Glibc
import HTTP
import History
import Markets
import Synchronization

/// The process's environment; tests inject their own clock, variables and log.
struct DaemonEnvironment: Sendable {
    var variables = ProcessInfo.processInfo.environment
    var host = ProcessInfo.processInfo.hostName
    var now: @Sendable () -> Moment = { .now() }
    /// The time source of feeds.
    var time: any TimeSource = SystemTime()
    /// Replaces the network.
    var transport: (any HTTPTransport)?
    /// Exports beside the configured ones, and what sends their batches.
    var exports: [ExportSettings: Exporting] = [:]
    /// Replaces the configured channels.
    var channel: (@Sendable (Configuration.Channel) -> any Channel)?
    /// An outlet for log lines beside the log file, in the configured format.
    var outlet: (@Sendable (LoggedLine.Format) -> any LogOutlet)?
    /// For a process of one cycle: how long it waits for deliveries after it; nil: a daemon.
    var once: Duration?

    /// This process's environment, with logging to standard error too.
    static func current(once: Duration? = nil) -> DaemonEnvironment {
        var environment = DaemonEnvironment(once: once)
        environment.outlet = { [variables = environment.variables] format in
            StreamOutlet.standardError(format, environment: variables)
        }
        return environment
    }
}

/// Sends a batch to a time-series engine.
typealias Exporting = @Sendable (ExportBatch) async -> ExportOutcome

/// Builds a daemon from its configuration; the only place that does, for commands and tests.
struct Bootstrap {
    let parts: Parts
    let engine: Engine

    init(_ reading: ConfigurationReading, _ environment: DaemonEnvironment) async throws {
        let parts = try Parts(reading, environment)
        let now = parts.now()
        let settings = parts.settings
        let remembered = try parts.history.load(settings, at: now.wall)
        var feeds: [String: FeedState] = [:]
        for feed in parts.allFeeds where feeds[feed.name] == nil {
            let (cooldown, requests) = await feed.status(at: now.wall)
            feeds[feed.name] = FeedState(cooldown: cooldown, requests: requests, at: now.wall)
        }
        let logged = parts.logFile.map(LoggedEvents.init(in:))
        engine = Engine(
            settings, remembering: remembered, feeds: feeds,
            logged: Set(remembered.unlogged.map(\.id).filter { logged?.contains($0) == true }), at: now)
        self.parts = parts
        parts.logStart(settings)
    }
}

/// The parts of a daemon under one configuration.
struct Parts: Sendable {
    let reading: ConfigurationReading
    let environment: DaemonEnvironment
    let log: EventLog
    let logFile: LogFile?
    let history: HistoryWriter
    let transport: any HTTPTransport
    let memory: FeedNotebook
    let systemd: SystemdNotifier
    let publisher: StatusPublisher
    /// By source, then by feed name.
    let feeds: [SourceID: [String: Feed]]
    let channels: [String: any Channel]
    /// What sends a batch, by the name of the export.
    let exports: [String: Exporting]
    let backfilling: Backfilling?
    private let pastChanges: PastChanges

    /// - Parameter old: The parts under the previous configuration, whose database and connections stay.
    init(_ reading: ConfigurationReading, _ environment: DaemonEnvironment, replacing old: Parts? = nil) throws {
        let configuration = reading.configuration
        self.reading = reading
        self.environment = environment
        history = try old?.history ?? Self.history(configuration, environment)
        (log, logFile) = Self.log(configuration, environment)
        transport = try old?.transport ?? environment.transport ?? NetworkTransport()
        memory = old?.memory ?? FeedNotebook(history)
        systemd = old?.systemd ?? SystemdNotifier(environment: environment.variables)
        publisher =
            old?.publisher
            ?? StatusPublisher(
                path: configuration.reports.status, metrics: configuration.reports.metrics, log: log, logFile: logFile,
                systemd: systemd, staysAlive: environment.once == nil)
        feeds = try configuration.madeFeeds(transport, memory, environment.time)
        let (now, transport) = (environment.now, transport)
        let made: @Sendable (Configuration.Channel) -> any Channel =
            environment.channel ?? {
                $0.madeChannel(transport: transport, environment: environment.variables) { now().wall }
            }
        channels = Dictionary(
            configuration.notify.map { ($0.name, made($0)) }, uniquingKeysWith: { first, _ in first })
        let exporters = configuration.exports.map { export -> (String, Exporting) in
            let exporter = export.madeExporter(transport: transport) { now().wall }
            return (export.name, { await exporter.send($0) })
        }
        exports = Dictionary(
            exporters + environment.exports.map { ($0.key.name, $0.value) }, uniquingKeysWith: { $1 })
        backfilling = Backfilling(configuration, feeds.values.flatMap { $0.values }, history, log: log)
        pastChanges = PastChanges(history.reader)
    }

    /// The parts under a new configuration, and the keys whose new values need a restart.
    func reloaded(_ next: ConfigurationReading) throws -> (Parts, waitingForRestart: [String]) {
        var next = next
        let waiting = KeptUntilRestart.apply(reading.configuration, to: &next.configuration)
        let parts = try Parts(next, environment, replacing: self)
        publisher.become(parts.log, parts.logFile)
        return (parts, waiting)
    }

    private static func history(
        _ configuration: Configuration, _ environment: DaemonEnvironment
    ) throws -> HistoryWriter {
        let path = configuration.history.database
        let history: HistoryWriter
        if environment.once == nil {
            history = try HistoryWriter(at: path)
        } else {
            // A process of one cycle has no other work meanwhile, so it waits longer for a locked database. It would
            // repeat polls and messages that it cannot record.
            history = try HistoryWriter(at: path, patience: .seconds(5))
            if let fault = history.fault, fault.kind == .closed { throw fault }
        }
        do { try AtomicFile(path: configuration.reports.status).makeFolder() } catch {
            throw CommandError("\(error)", Exit.inputOutput)
        }
        return history
    }

    private static func log(_ configuration: Configuration, _ environment: DaemonEnvironment) -> (EventLog, LogFile?) {
        let file = configuration.log.file.map {
            LogFile(path: $0, format: configuration.log.format)
        }
        file?.open()
        let outlets = [file as (any LogOutlet)?, environment.outlet?(configuration.log.format)].compactMap { $0 }
        let now = environment.now
        return (EventLog(level: configuration.log.level, outlets: outlets) { now().wall }, file)
    }

    func now() -> Moment { environment.now() }

    var settings: Settings {
        var settings = Settings(reading.configuration, host: environment.host, once: environment.once)
        settings.exports += environment.exports.keys.sorted { $0.name < $1.name }
        return settings
    }

    var allFeeds: [Feed] { feeds.values.flatMap { $0.values } }

    /// Reads the configuration file again; the built-in defaults if there was and is none.
    func readAgain() throws(ConfigurationError) -> ConfigurationReading {
        try ConfigurationReading.read(option: reading.file?.path)
    }
}

extension Configuration {
    fileprivate func madeFeeds(
        _ transport: any HTTPTransport, _ memory: FeedNotebook, _ time: any TimeSource
    ) throws -> [SourceID: [String: Feeds.Feed]] {
        var made: [String: Feeds.Feed] = [:]
        for feed in feeds { made[feed.name] = try makeFeed(feed, over: transport, memory, time) }
        var all: [SourceID: [String: Feeds.Feed]] = [:]
        let sources = sources
        let shared = Set(sources.filter { $0.id == .shared }.flatMap { $0.members.map(\.feed) })
        for source in sources {
            for member in source.members {
                guard let feed = made[member.feed] else { continue }
                // A feed polled by two sources has a separate state for each, so that their different requests do not
                // look like changes of its answer.
                let isAskedTwice = source.id != .shared && shared.contains(feed.name)
                all[source.id, default: [:]][feed.name] = isAskedTwice ? Feeds.Feed(feed.client) : feed
            }
        }
        return all
    }
}

// MARK: The history beside the engine

/// Detects what commands beside the daemon backfill and forget. What is forgotten takes effect at once. Backfilled
/// prices are loaded after the command has ended or paused: answers arrive every few seconds, and loading costs as much
/// as a start.
private final class PastChanges: Sendable {
    private let state: Mutex<(taken: Int64, forgotten: Int64, isWaiting: Bool)>

    init(_ reader: HistoryReader) {
        state = Mutex(((try? reader.backfillCount()) ?? 0, (try? reader.forgetCount()) ?? 0, false))
    }

    /// Called at each wake-up. Returns whether something was forgotten; or backfilled, and no other process has written
    /// since the last call.
    func mustRecall(_ reader: HistoryReader, othersWrote: Bool) -> Bool {
        state.withLock { state in
            if othersWrote {
                let forgotten = (try? reader.forgetCount()) ?? state.forgotten
                if forgotten != state.forgotten {
                    state.forgotten = forgotten
                    return true
                }
                state.isWaiting = ((try? reader.backfillCount()) ?? state.taken) != state.taken
                return false
            }
            guard state.isWaiting else { return false }
            state.isWaiting = false
            state.taken = (try? reader.backfillCount()) ?? state.taken
            return true
        }
    }
}

extension Parts {
    /// The changes that other processes made since the last call; nil: none. If the history is unreadable, nothing
    /// changes; the error is logged with the next write.
    func outsideChange(_ engine: Engine) -> OutsideChange? {
        var change = OutsideChange()
        if history.installation != engine.alerts.identity.installation, let known = try? history.reader.alerts() {
            change.installation = (history.installation, known)
        }
        let othersWrote = (try? history.changedByOthers()) == true
        if othersWrote { change.silences = try? history.reader.silences() }
        if pastChanges.mustRecall(history.reader, othersWrote: othersWrote) {
            change.backfilled = try? history.load(engine.settings, at: now().wall)
        }
        let isEmpty = change.installation == nil && change.silences == nil && change.backfilled == nil
        return isEmpty ? nil : change
    }

    func readGap(_ request: Plan.GapRequest, _ settings: Settings, at now: Date) -> GapReading {
        let currencies = settings.watchlist.currencies
        let past = request.past.flatMap { try? history.reader.pastPrices(in: currencies, polledIn: $0) }
        var gap = GapReading(past: past ?? [])
        let backfilled = try? history.reader.backfilledPrices(in: currencies, since: request.since, until: now)
        gap.backfilled = backfilled ?? [:]
        gap.backfillable = backfilling?.backfillable(since: request.since, longerThan: request.longestStep) ?? []
        return gap
    }
}

// MARK: The first lines of the log

extension Parts {
    fileprivate func logStart(_ settings: Settings) {
        let configuration = reading.configuration
        log.write(
            LogLine(.info, "service.started") { line in
                line.add("version", Version.current)
                line.add("pid", Int(getpid()))
                line.add("database", configuration.history.database)
                line.add("status_file", configuration.reports.status)
                line.add("log_file", configuration.log.file)
            })
        logConfiguration(settings)
    }

    /// - Parameter waiting: Keys whose new values take effect at the next start.
    func logConfiguration(_ settings: Settings, waitingForRestart waiting: [String] = []) {
        log.write(
            LogLine(.info, "config.loaded") { line in
                line.add("file", reading.file?.path ?? "built-in defaults")
                line.add("feed", reading.configuration.feeds[0].name)
                line.add("markets", settings.watchlist.named.count)
                line.add("top", settings.watchlist.top)
                line.add("currency", settings.watchlist.currencies.usual.code)
                line.add("every", settings.every)
                line.add("rules", settings.rules.count)
            })
        for warning in reading.warnings {
            log.write(LogLine(.warning, "config.warning") { $0.add("message", "\(warning)") })
        }
        guard !waiting.isEmpty else { return }
        log.write(
            LogLine(.warning, "config.warning") { line in
                line.add("message", "changed, and in force only after a restart: \(waiting.joined(separator: ", "))")
            })
    }
}
