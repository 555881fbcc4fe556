import Engine
import Foundation
import History
import Markets

/// From what is known to the one word of the state, and to the reasons behind it.
enum StatusReasons {
    static func of(
        _ board: MarketBoard, lanes: [LaneStanding], recording: HistoryError?, replaced: [String], log: String?,
        channels: [ChannelFault], rejection: String?, at now: Date
    ) -> [StatusReport.Reason] {
        var reasons = lanes.flatMap(\.reasons)
        func add(_ code: StatusReport.Reason.Code, _ message: String) {
            reasons.append(StatusReport.Reason(code: code, message: message))
        }
        for (state, code) in [
            (MarketBoard.Entry.State.missing, StatusReport.Reason.Code.marketMissing), (.stale, .marketStale),
            (.unknown, .marketUnknown),
        ] {
            let markets = board.entries.filter { $0.state(at: now) == state }
            guard !markets.isEmpty else { continue }
            add(code, message(state.rawValue, markets.map(\.market.text)))
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

    /// `stale: bitcoin, ethereum, tether and 2 more`
    static func message(_ state: String, _ markets: [String]) -> String {
        let more = markets.count > 3 ? " and \(markets.count - 3) more" : ""
        return "\(state): \(markets.prefix(3).joined(separator: ", "))\(more)"
    }

    static func state(of board: MarketBoard, reasons: [StatusReport.Reason], at now: Date) -> StatusReport.State {
        if !board.entries.contains(where: { $0.state(at: now) == .fresh }) { return .failing }
        return reasons.isEmpty ? .ok : .degraded
    }
}
