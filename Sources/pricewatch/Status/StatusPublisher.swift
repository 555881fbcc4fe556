import Foundation
import Markets
import Synchronization

/// Puts reports where their readers are: the status file, and systemd.
final class StatusPublisher: Sendable {
    private let file: AtomicFile
    private let log: EventLog
    private let logFile: LogFile?
    private let systemd: SystemdNotifier
    /// Whether the process goes on after the poll: a single poll leaves no process behind to be alive.
    private let staysAlive: Bool
    private let state = Mutex(State())

    private struct State {
        var expiresAt: Date?
        var unwritable = false
    }

    init(path: String, log: EventLog, logFile: LogFile?, systemd: SystemdNotifier, staysAlive: Bool) {
        file = AtomicFile(path: path)
        self.log = log
        self.logFile = logFile
        self.systemd = systemd
        self.staysAlive = staysAlive
    }

    var logFault: String? { logFile?.fault }

    func makeFolder() throws(FileFault) { try file.makeFolder() }

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
        }
        systemd.tell(report, finished: finished, deadline: deadline)
    }
}
