import Foundation
import Markets

/// What a status file is worth now, as a monitoring system reads it.
struct StatusVerdict: Hashable {
    /// 0 ok, 1 degraded, 2 failing or nobody there.
    var exit: Int32
    /// The file promised news by now.
    var expired: Bool
    /// Without a `|`, on one line.
    var line: String

    /// - Parameters:
    ///   - alive: Whether the process that wrote it is still there.
    ///   - file: Where it was written: a full disk may keep an old one.
    init(_ status: StatusDocument, alive: Bool, file: String, now: Date) {
        let isStopped = status.state == "stopped" || status.pid == nil
        expired = status.expiresAt.map { now >= $0 } ?? true
        let age = now.since(status.writtenAt).roundedText
        let daemon = "the daemon (pid \(status.pid ?? 0))"
        if isStopped {
            exit = 2
            line = "stopped: no daemon is running, the last word is \(age) old (start it: pricewatch run)"
        } else if !alive {
            exit = 2
            line =
                "failing: \(daemon) is gone, and its last word is \(age) old: it ended suddenly, or could not write "
                + "\(file) (see the log and that disk's free space, then start it again: pricewatch run)"
        } else if expired {
            exit = 2
            line =
                "failing: \(daemon) is there, and its last word is \(age) old: it has finished no cycle since, or cannot "
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

    /// Somebody holds the database and says nothing where the configuration looks for it.
    init(daemon: Int32, withoutFileAt file: String) {
        exit = 2
        expired = true
        line = StatusLine.alone(
            "failing: a daemon (pid \(daemon)) holds the database, and \(file) is not there: it writes its status "
                + "elsewhere until it is restarted, or cannot write it (see the log)")
    }
}
