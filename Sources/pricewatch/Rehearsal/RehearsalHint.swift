import Foundation
import Markets

/// What the owner of a rule should know about how it would have behaved.
enum RehearsalHint: Hashable, Sendable {
    case disabled
    case expired(Date)
    /// Nothing was recorded of these.
    case noData([MarketID])
    /// So much of the window was recorded at most.
    case windowNotCovered(Duration, recorded: Duration)
    /// The condition began to hold so often, and never for as long as it must.
    case neverHeld(Int, needed: Duration)
    /// The condition never held; with the price that came nearest, where that can be said.
    case neverMet(nearest: Nearest?)
    /// So many messages a day.
    case noisy(Double)
    /// It goes to log and status alone.
    case noChannel

    struct Nearest: Hashable, Sendable {
        var market: MarketID
        var lowest: Price
        var highest: Price
    }

    /// More messages a day than anybody reads.
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
