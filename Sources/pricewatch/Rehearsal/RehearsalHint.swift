import Foundation
import Markets

/// Why a rehearsed rule was silent or noisy.
enum RehearsalHint: Hashable, Sendable {
    case disabled
    case expired(Date)
    /// No prices of these markets were recorded.
    case noData([MarketID])
    /// The window is longer than the record.
    case windowNotCovered(Duration, recorded: Duration)
    /// The condition began to hold this many times, but never for as long as `for` requires.
    case neverHeld(Int, needed: Duration)
    /// The condition never held; with the recorded extremes, for a rule about one market's level.
    case neverMet(nearest: Nearest?)
    /// Messages a day.
    case noisy(Double)
    /// No channel: the alert is only logged and shown in the status.
    case noChannel

    struct Nearest: Hashable, Sendable {
        var market: MarketID
        var lowest: Price
        var highest: Price
    }

    /// A rule with more messages a day is noisy.
    static let mostMessagesADay = 10.0

    var code: String {
        switch self {
        case .disabled: "disabled"
        case .expired: "expired"
        case .noData: "no_data"
        case .windowNotCovered: "window_not_covered"
        case .neverHeld: "never_held"
        case .neverMet: "never_met"
        case .noisy: "noisy"
        case .noChannel: "no_channel"
        }
    }

    var message: String {
        switch self {
        case .disabled: return "it is disabled (enabled: false)"
        case .expired(let moment): return "it expired at \(moment.utcText)"
        case .noData(let markets):
            let names = markets.prefix(5).map(\.text).joined(separator: ", ")
            let more = markets.count > 5 ? " and \(markets.count - 5) more" : ""
            return "no data for \(names)\(more): nothing was recorded"
        case .windowNotCovered(let window, let recorded):
            return "80 % of its window of \(window.unitsText) must be recorded, and only \(recorded.roundedText) are"
        case .neverHeld(let times, let needed):
            let word = times == 1 ? "once" : "\(times) times"
            return "the condition began to hold \(word), and never for \(needed.unitsText) (for)"
        case .neverMet(nil): return "the condition never held"
        case .neverMet(let nearest?):
            return "the condition never held: \(nearest.market) was between \(nearest.lowest) and \(nearest.highest)"
        case .noisy(let perDay):
            return "more than \(Int(Self.mostMessagesADay)) messages a day (\(Self.rounded(perDay))): "
                + "a larger threshold, for, clear, keep_firing_for or a longer repeat makes it quieter"
        case .noChannel: return "it goes to no channel, to log and status alone"
        }
    }

    /// At most one decimal.
    static func rounded(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
