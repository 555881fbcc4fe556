import Foundation
import Markets

/// The first line of `status`, which stands alone: in a monitoring system, in `systemctl status`, on a phone.
enum StatusLine {
    static func text(of report: StatusReport, at now: Date) -> String {
        var parts: [String] = []
        let markets = report.markets.count + report.marketsOmitted
        parts.append("\(markets) market\(markets == 1 ? "" : "s")")
        if let poll = report.lastPoll {
            let age = now.since(poll.at).roundedText
            switch poll.outcome {
            case .failed: parts.append("last poll failed \(age) ago (\(poll.error?.kind ?? "unknown"))")
            default: parts.append("polled \(age) ago from \(poll.feed)")
            }
        } else {
            parts.append("not polled yet")
        }
        if let reason = report.reasons.first(where: { $0.code != .pollFailed }) { parts.append(reason.message) }
        let firing = report.firing.count
        if firing > 0 { parts.append("\(firing) alert\(firing == 1 ? "" : "s") firing") }
        let line = "\(report.state.rawValue): \(parts.joined(separator: ", "))"
        // A bar would begin a monitoring system's performance data.
        return SafeText.printable(line).replacing("|", with: "/")
    }
}

extension Duration {
    /// For people: `12 s`, `4 min`, `3 h`, `2 d`.
    var roundedText: String {
        let seconds = max(0, inMilliseconds / 1000)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3600) h"
        default: return "\(seconds / 86_400) d"
        }
    }
}
