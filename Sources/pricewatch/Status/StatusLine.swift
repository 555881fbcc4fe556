import Foundation
import Markets

/// The first line of `status`, which stands alone: in a monitoring system, in `systemctl status`, on a phone.
struct StatusLine {
    private let state: String
    private let markets: Int
    private let poll: (age: Duration, feed: String, failure: String?)?
    private let reason: String?
    private let firing: Int

    init(_ report: StatusReport, at now: Date) {
        state = report.state.rawValue
        markets = report.markets.count + report.marketsOmitted
        poll = report.lastPoll.map { poll in
            (now.since(poll.at), poll.feed, poll.outcome == .failed ? poll.error?.kind ?? "unknown" : nil)
        }
        let isTold = poll?.failure != nil
        reason = report.reasons.first { !isTold || $0.code != .pollFailed }?.message
        firing = report.firing.count
    }

    init(_ status: StatusDocument, at now: Date) {
        state = status.state
        markets = (status.markets?.count ?? 0) + (status.marketsOmitted ?? 0)
        poll = status.lastPoll.map { poll in
            (now.since(poll.at), poll.feed, poll.outcome == "failed" ? poll.error?.kind ?? "unknown" : nil)
        }
        let isTold = poll?.failure != nil
        reason = status.reasons?.first { !isTold || $0.code != StatusReport.Reason.Code.pollFailed.rawValue }?.message
        firing = status.alerts?.firing.count ?? 0
    }

    var text: String {
        var parts = ["\(markets) market\(markets == 1 ? "" : "s")"]
        switch poll {
        case (let age, _, let failure?)?: parts.append("last poll failed \(age.roundedText) ago (\(failure))")
        case (let age, let feed, nil)?: parts.append("polled \(age.roundedText) ago from \(feed)")
        case nil: parts.append("not polled yet")
        }
        if let reason { parts.append(reason) }
        if firing > 0 { parts.append("\(firing) alert\(firing == 1 ? "" : "s") firing") }
        return Self.alone("\(state): \(parts.joined(separator: ", "))")
    }

    /// On one line and without a bar, which would begin a monitoring system's performance data.
    static func alone(_ text: String) -> String {
        SafeText.printable(text).replacingBytes(of: ["|"], with: "/")
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
