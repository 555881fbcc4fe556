import Engine
import Foundation
import Markets

/// From which state on `status` exits with another code than 0.
enum ExitThreshold: String, CaseIterable {
    case degraded, failing

    /// - Parameter exit: see `StatusVerdict.exit`.
    func applied(to exit: Int32) -> Int32 { self == .failing && exit == 1 ? 0 : exit }
}

/// The verdict on a status file at a given time, in terms of a monitoring system.
struct StatusVerdict: Hashable {
    /// 0 ok, 1 degraded, 2 failing or no daemon running.
    var exit: Int32 = 2
    /// Whether the next status is overdue, or will not come since the process is gone.
    var expired = true
    /// One line without `|`.
    var line: String

    /// - Parameters:
    ///   - alive: Whether the process that wrote it is still running.
    ///   - file: The path of the status file, for messages: a full disk may leave an old one there.
    init(_ status: StatusReport, alive: Bool, file: String, now: Date) {
        expired = status.expiresAt.map { now >= $0 } ?? true
        let age = now.since(status.writtenAt).roundedText
        if status.state == .stopped || status.pid == nil {
            line = "stopped: no daemon is running; last status written \(age) ago (start it: pricewatch run)"
        } else if !alive {
            expired = true
            line =
                "failing: the daemon (pid \(status.pid ?? 0)) is not running; last status written \(age) ago: it ended "
                + "suddenly, or could not write \(file) (see the log and that disk's free space, then start it "
                + "again: pricewatch run)"
        } else if expired {
            line =
                "failing: the daemon (pid \(status.pid ?? 0)) is running, but its last status was written \(age) ago: "
                + "no cycle has finished since, or it cannot write \(file) (see the log and that disk's free space)"
        } else {
            exit = status.state == .ok ? 0 : status.state == .failing ? 2 : 1
            line = status.line(at: now)
        }
        line = StatusReport.singleLine(line)
    }

    /// A process holds the database, but there is no status file where the configuration expects it.
    init(daemon: Int32, withoutFileAt file: String) {
        line = StatusReport.singleLine(
            "failing: a daemon (pid \(daemon)) holds the database, and \(file) is not there: it writes its status "
                + "elsewhere until it is restarted, or cannot write it (see the log)")
    }
}

extension StatusReport {
    /// The first line of `status`. It is complete in itself: monitoring systems, `systemctl status` and phones show no
    /// more.
    func line(at now: Date) -> String {
        let count = markets.count + marketsOmitted
        var parts = ["\(count) market\(count == 1 ? "" : "s")"]
        let hasFailed = lastPoll?.outcome == .failed
        switch lastPoll {
        case let poll? where hasFailed:
            let kind = poll.error?.kind.rawValue ?? "unknown"
            parts.append("last poll failed \(now.since(poll.at).roundedText) ago (\(kind))")
        case let poll?: parts.append("polled \(now.since(poll.at).roundedText) ago from \(poll.feed)")
        case nil: parts.append("not polled yet")
        }
        let reason = reasons.first { !hasFailed || $0.code != Reason.Code.pollFailed.rawValue }
        if let reason { parts.append(reason.message) }
        if !firing.isEmpty { parts.append("\(firing.count) alert\(firing.count == 1 ? "" : "s") firing") }
        return Self.singleLine("\(state.rawValue): \(parts.joined(separator: ", "))")
    }

    /// One line without `|`, which starts the performance data of a monitoring plugin.
    fileprivate static func singleLine(_ text: String) -> String {
        SafeText.printable(text).replacingBytes(of: ["|"], with: "/")
    }
}
