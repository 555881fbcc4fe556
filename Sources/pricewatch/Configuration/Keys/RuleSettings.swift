import Engine
import Foundation
import Markets

extension Configuration {
    /// One entry of `alerts`, with everything a rule can say.
    struct Rule: Hashable, Sendable {
        /// `name`: unique, 1 to 200 characters; with the market it is the identity of an alert.
        var name: String
        /// `market: ID`, `markets: [ID, …]` or `markets: all`.
        var scope: Scope
        var condition: AlertRule.Condition
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

        enum Scope: Hashable, Sendable {
            case all
            case markets([MarketID])
            /// Of the built-in rules alone: the markets that the configuration names.
            case named
            /// Of the built-in rules alone: the provider as a whole; patiently, it is never said to be silent before
            /// three intervals have passed.
            case feed(patiently: Bool)
        }
    }

    /// The rules as the decision takes them: the owner's, then the built-in ones that he has not changed.
    var alertRules: [AlertRule] {
        let own = Set(alerts.map(\.name))
        let builtIn = builtinAlerts ? BuiltInRule.allCases.filter { !own.contains($0.rawValue) }.map(\.rule) : []
        return (alerts + builtIn).flatMap(alertRules)
    }

    /// Empty where there is nothing that it is about: no market is named. About feeds it stands once for each lane,
    /// whose intervals differ.
    private func alertRules(_ rule: Rule) -> [AlertRule] {
        switch rule.scope {
        case .all: return [alertRule(rule, .all)]
        case .markets(let markets): return [alertRule(rule, .markets(markets))]
        case .named:
            let named = namedMarkets.map(\.id)
            return named.isEmpty ? [] : [alertRule(rule, .markets(named))]
        case .feed(let patiently):
            return lanePlans.filter { !$0.ridesAlong }.map { plan in
                var rule = rule
                // What is right for the feeds in order of preference must not cry at each pause of a slower one.
                if case .feedStale(let length) = rule.condition, patiently || plan.lane != .shared {
                    rule.condition = .feedStale(max(length, plan.every * 3))
                }
                return alertRule(rule, .feed(plan.feed.pseudoMarket, of: plan.lane))
            }
        }
    }

    private func alertRule(_ rule: Rule, _ scope: AlertRule.Scope) -> AlertRule {
        AlertRule(
            name: rule.name, scope: scope, condition: rule.condition, holdFor: rule.holdFor, clear: rule.clear,
            keepFiringFor: rule.keepFiringFor, repeatEvery: rule.repeatEvery, repeatOnMove: rule.repeatOnMove,
            once: rule.once, expires: rule.expires, severity: rule.severity, note: rule.note, notify: rule.notify,
            enabled: rule.enabled)
    }
}

extension Configuration.Feed {
    /// What stands in place of a market where the feed as a whole is meant: its name.
    var pseudoMarket: MarketID {
        let text = name.replacingBytes(of: [","], with: "").cut(toBytes: MarketID.longest)
        // The provider's own word is an id in any case.
        return (try? MarketID(text)) ?? (try? MarketID(provider.rawValue)) ?? .feed
    }
}

extension Configuration.Rule {
    /// The history it looks back on, and the key that says so; nil where the present price is enough.
    var window: (key: String, length: Duration)? {
        guard let length = condition.window else { return nil }
        switch condition {
        case .newHigh: return ("new_high", length)
        case .newLow: return ("new_low", length)
        default: return ("within", length)
        }
    }
}
