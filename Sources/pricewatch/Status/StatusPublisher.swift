import Engine
import Foundation
import History
import Markets
import Synchronization

/// Publishes status reports: the status file, the metrics file and systemd.
final class StatusPublisher: Sendable {
    private let file: AtomicFile
    private let log: Mutex<(EventLog, LogFile?)>
    let metrics: MetricsFile?
    private let systemd: SystemdNotifier
    /// Whether the process continues after the poll: a single poll's status has no pid.
    private let staysAlive: Bool
    private let state = Mutex(State())

    private struct State {
        var expiresAt: Date?
        var unwritable = false
    }

    init(
        path: String, metrics: MetricsFile?, log: EventLog, logFile: LogFile?, systemd: SystemdNotifier,
        staysAlive: Bool
    ) {
        file = AtomicFile(path: path)
        file.removeAbandoned()
        self.log = Mutex((log, logFile))
        self.systemd = systemd
        self.staysAlive = staysAlive
        self.metrics = metrics
    }

    var logFault: String? { log.withLock { $0.1?.fault } }

    /// Switches to another log.
    func become(_ log: EventLog, _ logFile: LogFile?) { self.log.withLock { $0 = (log, logFile) } }

    /// - Parameters:
    ///   - finished: A cycle has ended: the systemd watchdog is reset only then.
    ///   - deadline: The longest that a cycle may last.
    func publish(_ report: StatusReport, finished: Bool, deadline: Duration) {
        var report = report
        let log = log.withLock { $0.0 }
        state.withLock { state in
            if finished { state.expiresAt = report.writtenAt + report.interval + deadline + .seconds(10) }
            switch (staysAlive, report.state) {
            case (true, .stopped): report.nextPollAt = nil
            case (true, _):
                report.pid = ProcessInfo.processInfo.processIdentifier
                report.expiresAt = state.expiresAt
                if report.state == .stopping { report.nextPollAt = nil }
            case (false, _):
                report.expiresAt = report.writtenAt
                report.nextPollAt = nil
            }
            do {
                try file.replace(with: report.json)
                state.unwritable = false
            } catch {
                // Logged once, not at every poll; readers of the status see it expire.
                if !state.unwritable {
                    log.write(LogLine(.error, "status.unwritable") { $0.add("message", "\(error)") })
                }
                state.unwritable = true
            }
            metrics?.write(report, finished: finished, expiresAt: state.expiresAt, log)
        }
        systemd.tell(report, finished: finished, deadline: deadline)
    }
}
