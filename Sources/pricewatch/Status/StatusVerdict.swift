import Foundation
import Markets

/// The verdict on a status file at a given time, in terms of a monitoring system.
struct StatusVerdict: Hashable {
    /// 0 ok, 1 degraded, 2 failing or no daemon running.
    var exit: Int32
    /// Whether the next status is overdue.
    var expired: Bool
    /// One line without `|`.
    var line: String

    /// - Parameters:
    ///   - alive: Whether the process that wrote it is still running.
    ///   - file: The path of the status file, for messages: a full disk may leave an old one there.
    init(_ status: StatusDocument, alive: Bool, file: String, now: Date) {
        let isStopped = status.state == "stopped" || status.pid == nil
        expired = status.expiresAt.map { now >= $0 } ?? true
        let age = now.since(status.writtenAt).roundedText
        let daemon = "the daemon (pid \(status.pid ?? 0))"
        if isStopped {
            exit = 2
            line = "stopped: no daemon is running; last status written \(age) ago (start it: pricewatch run)"
        } else if !alive {
            exit = 2
            line =
                "failing: \(daemon) is not running; last status written \(age) ago: it ended suddenly, or could not write "
                + "\(file) (see the log and that disk's free space, then start it again: pricewatch run)"
        } else if expired {
            exit = 2
            line =
                "failing: \(daemon) is running, but its last status was written \(age) ago: no cycle has finished since, or it cannot "
                + "write \(file) (see the log and that disk's free space)"
        } else {
            switch status.state {
            case "ok": exit = 0
            case "degraded", "starting", "stopping": exit = 1
            default: exit = 2
            }
            line = StatusLine(status, at: now).text
        }
        line = StatusLine.alone(line)
    }

    /// A process holds the database, but there is no status file where the configuration expects it.
    init(daemon: Int32, withoutFileAt file: String) {
        exit = 2
        expired = true
        line = StatusLine.alone(
            "failing: a daemon (pid \(daemon)) holds the database, and \(file) is not there: it writes its status "
                + "elsewhere until it is restarted, or cannot write it (see the log)")
    }
}
