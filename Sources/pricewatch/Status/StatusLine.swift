import Engine
import Foundation
import Markets

/// The first line of `status`. It is complete in itself: monitoring systems, `systemctl status` and phones show no
/// more.
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
            (now.since(poll.at), poll.feed, poll.outcome == .failed ? poll.error?.kind.rawValue ?? "unknown" : nil)
        }
        let showsFailure = poll?.failure != nil
        reason = report.reasons.first { !showsFailure || $0.code != .pollFailed }?.message
        firing = report.firing.count
    }

    init(_ status: StatusDocument, at now: Date) {
        state = status.state
        markets = (status.markets?.count ?? 0) + (status.marketsOmitted ?? 0)
        poll = status.lastPoll.map { poll in
            (now.since(poll.at), poll.feed, poll.outcome == "failed" ? poll.error?.kind ?? "unknown" : nil)
        }
        let showsFailure = poll?.failure != nil
        reason =
            status.reasons?.first { !showsFailure || $0.code != StatusReport.Reason.Code.pollFailed.rawValue }?.message
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

    /// One line without `|`, which starts the performance data of a monitoring plugin.
    static func alone(_ text: String) -> String {
        SafeText.printable(text).replacingBytes(of: ["|"], with: "/")
    }
}
