import Foundation
import History
import Markets
import Synchronization

/// Puts reports where their readers are: the status file, and systemd.
final class StatusPublisher: Sendable {
    private let file: AtomicFile
    private let log: EventLog
    private let logFile: LogFile?
    let metrics: MetricsFile?
    private let systemd: SystemdNotifier
    /// Whether the process goes on after the poll: a single poll leaves no process behind to be alive.
    private let staysAlive: Bool
    private let state = Mutex(State())

    private struct State {
        var expiresAt: Date?
        var unwritable = false
    }

    /// - Parameter predecessor: whose word on when the next cycle ends holds on.
    init(
        path: String, metrics: MetricsFile?, log: EventLog, logFile: LogFile?, systemd: SystemdNotifier,
        staysAlive: Bool, after predecessor: StatusPublisher? = nil
    ) {
        file = AtomicFile(path: path)
        self.log = log
        self.logFile = logFile
        self.systemd = systemd
        self.staysAlive = staysAlive
        self.metrics = metrics
        if let predecessor {
            let expected = predecessor.state.withLock(\.expiresAt)
            state.withLock { $0.expiresAt = expected }
        }
    }

    var logFault: String? { logFile?.fault }

    /// - Parameters:
    ///   - finished: A cycle has ended: only that proves that the daemon lives.
    ///   - deadline: The longest that a cycle may last.
    func publish(_ report: StatusReport, finished: Bool, deadline: Duration) {
        var report = report
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
                // Told once, not at every poll; whoever reads the status sees it expire.
                if !state.unwritable { log.write(.error, "status.unwritable") { $0.add("message", "\(error)") } }
                state.unwritable = true
            }
            metrics?.write(report, finished: finished, expiresAt: state.expiresAt, log)
        }
        systemd.tell(report, finished: finished, deadline: deadline)
    }
}
