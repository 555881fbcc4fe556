import Engine
import Foundation
import Markets

extension Configuration {
    /// One entry of `alerts`.
    struct Rule: Hashable, Sendable {
        /// `name`: unique, 1 to 200 characters; an alert is identified by rule name and market.
        var name: String
        /// `market: ID`, `markets: [ID, …]` or `markets: all`.
        var scope: Scope
        var condition: AlertRule.Condition
        /// `for`: how long the condition must hold.
        var holdFor: Duration = .zero
        /// `clear`: the price at which it resolves; nil: when the condition ends.
        var clear: Price?
        /// `keep_firing_for`: how long it keeps firing after the condition has ended.
        var keepFiringFor: Duration = .zero
        /// `repeat`: the interval of reminders while it fires; nil: none.
        var repeatEvery: Duration?
        /// `repeat_on_move`: a reminder after each further move of this size; nil: none.
        var repeatOnMove: Percent?
        /// `once`: latched after its first resolve, until the rule is edited.
        var once = false
        /// `expires`: the rule is ignored from then on; nil: never.
        var expires: Date?
        /// `severity`
        var severity: AlertRule.Severity = .warning
        /// `notify`: channels; nil: all, empty: log and status only.
        var notify: [String]?
        /// `note`: added to every message.
        var note: String?
        /// `enabled`
        var enabled = true

        enum Scope: Hashable, Sendable {
            case all
            case markets([MarketID])
            /// For built-in rules only: the named markets.
            case named
            /// For built-in rules only: the feeds as a whole. `patiently`: the limit is at least three intervals.
            case feed(patiently: Bool)
        }
    }

    /// The rules for the engine: the configured ones, then the built-in ones that are not overridden.
    var alertRules: [AlertRule] {
        let own = Set(alerts.map(\.name))
        let builtIn = builtinAlerts ? BuiltInRule.allCases.filter { !own.contains($0.rawValue) }.map(\.rule) : []
        return (alerts + builtIn).flatMap(alertRules)
    }

    /// Empty for a rule about named markets if there are none. A rule about feeds becomes one rule per source, since
    /// their intervals differ.
    private func alertRules(_ rule: Rule) -> [AlertRule] {
        switch rule.scope {
        case .all: return [alertRule(rule, .all)]
        case .markets(let markets): return [alertRule(rule, .markets(markets))]
        case .named:
            let named = namedMarkets.map(\.id)
            return named.isEmpty ? [] : [alertRule(rule, .markets(named))]
        case .feed(let patiently):
            return sourcePlans.map { plan in
                var rule = rule
                // The limit for the shared source must not fire at each pause of a source with a longer interval.
                if case .feedStale(let length) = rule.condition, patiently || plan.source != .shared {
                    rule.condition = .feedStale(max(length, plan.every * 3))
                }
                return alertRule(rule, .feed(plan.feed.pseudoMarket, of: plan.source))
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
    /// The market id used for alerts about the feed as a whole: its name.
    var pseudoMarket: MarketID {
        let text = name.replacingBytes(of: [","], with: "").cut(toBytes: MarketID.longest)
        // The provider's name is always a valid id.
        return (try? MarketID(text)) ?? (try? MarketID(provider.rawValue)) ?? .feed
    }
}

extension Configuration.Rule {
    /// The window of the condition and its key; nil if the condition needs only the current price.
    var window: (key: String, length: Duration)? {
        guard let length = condition.window else { return nil }
        switch condition {
        case .newHigh: return ("new_high", length)
        case .newLow: return ("new_low", length)
        case .rises, .falls, .moves: return ("within", length)
        case .above, .below, .outside, .stale, .marketStale, .marketMissing, .feedStale: return nil
        }
    }
}
