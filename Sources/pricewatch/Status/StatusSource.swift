import ArgumentParser
import Engine
import Foundation
import Glibc
import History
import Markets

/// The source of a status: the file that the daemon writes, else the history.
struct StatusSource {
    /// The report as written.
    private let written: StatusReport
    private let text: [UInt8]
    private let configuration: Configuration
    /// The pid that holds the database, if that process left no status file.
    private let stranger: Int32?

    init(_ configuration: Configuration, now: Date) throws {
        self.configuration = configuration
        let file = configuration.reports.status
        if let text = FileManager.default.contents(atPath: file) {
            guard let written = StatusReport(json: text) else {
                throw CommandError(
                    "read the status \(file): this is no status file (start the daemon, which replaces it)", ExitCode(3)
                )
            }
            self.written = written
            self.text = Array(text)
            stranger = nil
            return
        }
        var report: StatusReport
        do throws(HistoryError) {
            let reader = try HistoryReader(at: configuration.history.database)
            report = try StatusReport(remembering: reader, Settings(configuration, host: ""), now: now)
        } catch {
            throw CommandError(
                "read the status \(file): there is none, and no history either: \(error)", ExitCode(3))
        }
        stranger = DaemonLock.holder(of: configuration.history.database)
        if let stranger { (report.state, report.pid) = (.failing, stranger) }
        written = report
        text = report.json
    }

    /// The report with the ages of `now`.
    func report(at now: Date) -> StatusReport {
        let portfolios = configuration.watch.markets.compactMap { market in market.portfolio.map { (market.id, $0) } }
        return written.aged(at: now, portfolios: Dictionary(portfolios, uniquingKeysWith: { first, _ in first })) {
            configuration.staleness(of: $0).age(at: written.interval)
        }
    }

    func verdict(at now: Date) -> StatusVerdict {
        if let stranger { return StatusVerdict(daemon: stranger, withoutFileAt: configuration.reports.status) }
        let report = report(at: now)
        let alive = report.pid.map { Self.isDaemon($0, of: report.history.database) } ?? false
        return StatusVerdict(report, alive: alive, file: configuration.reports.status, now: now)
    }

    /// Whether the daemon that wrote a status is still running.
    ///
    /// - Parameter database: The daemon holds its lock as long as it lives; another process may have got the same pid,
    ///   as the first processes of two containers have.
    private static func isDaemon(_ pid: Int32, of database: String) -> Bool {
        // EPERM: the process exists and belongs to another user.
        guard kill(pid, 0) == 0 || errno == EPERM else { return false }
        guard access(database + ".lock", R_OK) == 0 else { return true }
        return DaemonLock.holder(of: database) != nil
    }

    /// The file's text with the ages of `now`, and the verdict added as its last fields.
    func json(at now: Date, exitOn: ExitThreshold = .degraded) -> [UInt8] {
        let verdict = verdict(at: now)
        let report = report(at: now)
        // What nothing has changed stays as it is, and so does the text of another release, whose fields may be others.
        let isKept = report.markets == written.markets || report.version != Version.current
        let text = isKept ? text : report.json
        let end = text.lastIndex(of: UInt8(ascii: "}")) ?? 0
        let exit = exitOn.applied(to: verdict.exit)
        return text[..<end] + Array(",\"expired\":\(verdict.expired),\"exit\":\(exit)}\n".utf8)
    }

    /// Nil if the history cannot be read; the status reports that itself.
    ///
    /// - Parameter reader: One that is open; a second one of the same process would drop its locks.
    func trends(from reader: HistoryReader? = nil, now: Date) -> Trends? {
        guard let reader = try? reader ?? HistoryReader(at: configuration.history.database) else { return nil }
        // Those of the prices in the same table, whatever the configuration says by now.
        let shown = Dictionary(
            written.markets.map { ($0.market, $0.currency) }, uniquingKeysWith: { first, _ in first })
        let currencies = MarketCurrencies(configuration.currency, others: shown)
        return try? Trends(
            reader, in: currencies, oldest: written.history.oldestAt, every: configuration.tick, now: now)
    }
}

extension StatusReport {
    /// The status from the history alone: the watched markets and their last prices.
    ///
    /// - Parameter window: over which the markets' changes are.
    init(
        remembering reader: HistoryReader, _ settings: Settings, window: Duration = .hours(24), now: Date
    ) throws(HistoryError) {
        self.init(
            try reader.board(settings, onlyWatched: true), try reader.rollingSummary(settings, window: window, at: now),
            ActiveAlerts(try reader.activeEvents(), try reader.alerts()), try reader.silences(), at: now)
        state = .stopped
        writtenAt = try reader.lastPoll() ?? now
        interval = settings.every
        outbox = try reader.outboxSize()
        for place in outbox.held.indices {
            let channel = settings.routing.channels.first { $0.name == outbox.held[place].channel }
            outbox.held[place].until = channel?.quietEnd(at: now)
        }
        history = try reader.size()
    }
}
