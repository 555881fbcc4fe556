import Foundation
import History
import Markets

/// From what is known to the one word of the state, and to the reasons behind it.
enum StatusReasons {
    static func of(
        _ board: MarketBoard, failures: Int, lastError: StatusReport.PollError?, wait: Date?, standby: String?,
        preferred: String, pace: Pace, recording: HistoryError?, replaced: [String], log: String?, clock: String?,
        rejection: String?, channels: [ChannelFault], at now: Date
    ) -> [StatusReport.Reason] {
        var reasons: [StatusReport.Reason] = []
        func add(_ code: StatusReport.Reason.Code, _ message: String) {
            reasons.append(StatusReport.Reason(code: code, message: message))
        }
        if let clock {
            add(.clock, clock)
        } else if failures > 0 {
            let times = failures == 1 ? "the last poll failed" : "the last \(failures) polls failed"
            add(.pollFailed, times + (lastError.map { ": \($0.message)" } ?? ""))
        }
        if let wait { add(.waiting, "the provider is not asked before \(wait.utcText)") }
        if let standby { add(.standby, "\(standby) serves in place of \(preferred)") }
        if let stretched = pace.stretched { add(.quota, stretched) }
        for (state, code) in [
            (MarketBoard.Entry.State.missing, StatusReport.Reason.Code.marketMissing), (.stale, .marketStale),
            (.unknown, .marketUnknown),
        ] {
            let markets = board.entries.filter { $0.state(at: now) == state }
            guard !markets.isEmpty else { continue }
            let named = markets.prefix(3).map(\.market.text).joined(separator: ", ")
            let more = markets.count > 3 ? " and \(markets.count - 3) more" : ""
            add(code, "\(state.rawValue): \(named)\(more)")
        }
        if let recording { add(.notRecording, recording.description) }
        if let newest = replaced.last {
            add(
                .databaseReplaced,
                "a damaged database was set aside as \(newest): restore it or remove it to end this notice")
        }
        for fault in channels { add(.notifyFailing, "\(fault.channel) does not deliver: \(fault.message)") }
        if let log { add(.logUnwritable, log) }
        if let rejection { add(.configRejected, "the configuration was refused, the old one goes on: \(rejection)") }
        return reasons
    }

    static func state(of board: MarketBoard, reasons: [StatusReport.Reason], at now: Date) -> StatusReport.State {
        if !board.entries.contains(where: { $0.state(at: now) == .fresh }) { return .failing }
        return reasons.isEmpty ? .ok : .degraded
    }
}
