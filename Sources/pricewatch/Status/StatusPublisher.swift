import Engine
import Foundation
import History
import Markets
import Synchronization

/// Publishes status reports: the status file, the metrics file and systemd.
final class StatusPublisher: Sendable {
    private let systemd: SystemdNotifier
    /// Whether the process continues after the poll: a single poll's status has no pid.
    private let staysAlive: Bool
    private let state: Mutex<State>

    private struct State {
        var log: EventLog
        var logFile: LogFile?
        var status: PublishedFile
        /// For node_exporter's textfile collector.
        var metrics: PublishedFile?
        var expiresAt: Date?
        /// Polls since the start. A poll is counted once its cycle has ended, even if sources have answered before.
        var polls: [PollOutcome: Int] = [:]
        var lastCounted: Date?
    }

    /// - Parameter metrics: the path of the metrics file; nil: none.
    init(
        path: String, metrics: String?, log: EventLog, logFile: LogFile?, systemd: SystemdNotifier, staysAlive: Bool
    ) {
        self.systemd = systemd
        self.staysAlive = staysAlive
        state = Mutex(
            State(
                log: log, logFile: logFile, status: PublishedFile(path, "status.unwritable"),
                metrics: metrics.map { PublishedFile($0, "metrics.unwritable") }))
    }

    var logFault: String? { state.withLock { $0.logFile?.fault } }

    /// Switches to another log.
    func become(_ log: EventLog, _ logFile: LogFile?) { state.withLock { ($0.log, $0.logFile) = (log, logFile) } }

    /// - Parameters:
    ///   - finished: A cycle has ended: the systemd watchdog is reset only then.
    ///   - deadline: The longest that a cycle may last.
    func publish(_ report: StatusReport, finished: Bool, deadline: Duration) {
        var report = report
        state.withLock { state in
            if finished {
                state.expiresAt = report.writtenAt + report.interval + deadline + .seconds(10)
                if let poll = report.lastPoll, poll.at != state.lastCounted {
                    state.lastCounted = poll.at
                    state.polls[poll.outcome, default: 0] += 1
                }
            }
            if !staysAlive {
                report.expiresAt = report.writtenAt
            } else if report.state != .stopped {
                report.pid = ProcessInfo.processInfo.processIdentifier
                report.expiresAt = state.expiresAt
            }
            if !staysAlive || report.state == .stopping || report.state == .stopped { report.nextPollAt = nil }
            state.status.replace(with: report.json, state.log)
            if state.metrics != nil {
                let text = report.metrics(polls: state.polls, expiresAt: state.expiresAt)
                state.metrics?.replace(with: Array(text.utf8), state.log)
            }
        }
        systemd.tell(report, finished: finished, deadline: deadline)
    }
}

/// A file that is replaced with each status.
private struct PublishedFile {
    private let file: AtomicFile
    private let event: String
    private var isUnwritable = false

    /// - Parameter event: the name of the log line if it cannot be written.
    init(_ path: String, _ event: String) {
        file = AtomicFile(path: path)
        file.removeAbandoned()
        self.event = event
    }

    /// An error is logged once, not at every poll; readers see the old contents expire.
    mutating func replace(with bytes: [UInt8], _ log: EventLog) {
        do {
            try file.replace(with: bytes)
            isUnwritable = false
        } catch {
            if !isUnwritable { log.write(LogLine(.error, event) { $0.add("message", "\(error)") }) }
            isUnwritable = true
        }
    }
}
