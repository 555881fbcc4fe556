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

    /// - Parameter alive: whether the process that wrote it is still there.
    init(_ status: StatusDocument, alive: Bool, now: Date) {
        let isStopped = status.state == "stopped" || status.pid == nil
        expired = status.expiresAt.map { now >= $0 } ?? true
        let age = now.since(status.writtenAt).roundedText
        if isStopped {
            exit = 2
            line = "stopped: no daemon is running, the last word is \(age) old (start it: pricewatch run)"
        } else if !alive {
            exit = 2
            line =
                "failing: the daemon (pid \(status.pid ?? 0)) is gone without a word, the last one is \(age) old "
                + "(see the log, then start it again: pricewatch run)"
        } else if expired {
            exit = 2
            line =
                "failing: the daemon (pid \(status.pid ?? 0)) is there and has finished no cycle for \(age) (see the log)"
        } else {
            switch status.state {
            case "ok": exit = 0
            case "degraded", "starting", "stopping": exit = 1
            default: exit = 2
            }
            line = StatusLine(status, at: now).text
        }
        line = SafeText.printable(line).replacing("|", with: "/")
    }
}
