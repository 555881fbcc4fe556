import Foundation
import Markets

extension Configuration {
    /// One entry of `alerts`, with everything a rule can say.
    struct Rule: Hashable, Sendable {
        /// `name`: unique, 1 to 200 characters; with the market it is the identity of an alert.
        var name: String
        /// `market: ID`, `markets: [ID, …]` or `markets: all`.
        var scope: AlertRule.Scope
        var condition: Condition
        /// `for`: how long the condition must hold.
        var holdFor: Duration = .zero
        /// `clear`: the price at which it resolves; nil: when the condition ends.
        var clear: Price?
        /// `keep_firing_for`: how much longer it fires after the condition ended.
        var keepFiringFor: Duration = .zero
        /// `repeat`: reminds while it fires; nil: says it once.
        var repeatEvery: Duration?
        /// `repeat_on_move`: reminds after each further move; nil: never.
        var repeatOnMove: Percent?
        /// `once`: rests after its first resolve until edited.
        var once = false
        /// `expires`: from then on it is as if it were not there; nil: never.
        var expires: Date?
        /// `severity`
        var severity: AlertRule.Severity = .warning
        /// `notify`: channels; nil: every one, empty: log and status alone.
        var notify: [String]?
        /// `note`: goes with every message.
        var note: String?
        /// `enabled`
        var enabled = true

        enum Condition: Hashable, Sendable {
            case above(Price)
            case below(Price)
            case outside(low: Price, high: Price)
            case rises(Percent, within: Duration)
            case falls(Percent, within: Duration)
            case moves(Percent, within: Duration)
            case newHigh(Duration)
            case newLow(Duration)
            case stale(Duration)
        }
    }

    /// The rules as the decision takes them. What it does not know yet was refused while reading.
    var alertRules: [AlertRule] { alerts.compactMap(\.alertRule) }
}

extension Configuration.Rule {
    /// nil where the condition or a modifier is one that `NotYetBuilt` lists.
    var alertRule: AlertRule? {
        let condition: AlertRule.Condition
        switch self.condition {
        case .above(let price): condition = .above(price)
        case .below(let price): condition = .below(price)
        case .outside, .rises, .falls, .moves, .newHigh, .newLow, .stale: return nil
        }
        return AlertRule(
            name: name, scope: scope, condition: condition, holdFor: holdFor, clear: clear, severity: severity,
            note: note, notify: notify, enabled: enabled)
    }

    /// The history it looks back on; nil where the present price is enough.
    var window: (key: String, length: Duration)? {
        switch condition {
        case .above, .below, .outside, .stale: nil
        case .rises(_, let within), .falls(_, let within), .moves(_, let within): ("within", within)
        case .newHigh(let window): ("new_high", window)
        case .newLow(let window): ("new_low", window)
        }
    }
}
