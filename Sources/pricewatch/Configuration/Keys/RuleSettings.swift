import Foundation
import Markets

extension Configuration {
    /// One entry of `alerts`, with everything a rule can say.
    struct Rule: Hashable, Sendable {
        /// `name`: unique, 1 to 200 characters; with the market it is the identity of an alert.
        var name: String
        /// `market: ID`, `markets: [ID, …]` or `markets: all`.
        var scope: Scope
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
            /// Of the built-in rules alone.
            case marketStale(Duration)
            case marketMissing
            /// nil: the longer of ten minutes and three intervals.
            case feedStale(Duration?)
        }

        enum Scope: Hashable, Sendable {
            case all
            case markets([MarketID])
            /// Of the built-in rules alone: the markets that the configuration names.
            case named
            /// Of the built-in rules alone: the provider as a whole.
            case feed
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
        case .feed:
            return lanePlans.filter { !$0.ridesAlong }.map { plan in
                var rule = rule
                if case .feedStale(let length?) = rule.condition, plan.lane != .shared {
                    // What is right for the feeds in order of preference must not cry at each pause of a slower one.
                    rule.condition = .feedStale(max(length, plan.every * 3))
                }
                return alertRule(rule, .feed(plan.feed.pseudoMarket, of: plan.lane), every: plan.every)
            }
        }
    }

    private func alertRule(_ rule: Rule, _ scope: AlertRule.Scope, every: Duration = .zero) -> AlertRule {
        AlertRule(
            name: rule.name, scope: scope, condition: condition(rule.condition, every: every), holdFor: rule.holdFor,
            clear: rule.clear, keepFiringFor: rule.keepFiringFor, repeatEvery: rule.repeatEvery,
            repeatOnMove: rule.repeatOnMove, once: rule.once, expires: rule.expires, severity: rule.severity,
            note: rule.note, notify: rule.notify, enabled: rule.enabled)
    }

    /// - Parameter every: of the lane that it is about as a whole.
    private func condition(_ condition: Rule.Condition, every: Duration) -> AlertRule.Condition {
        switch condition {
        case .above(let price): .above(price)
        case .below(let price): .below(price)
        case .outside(let low, let high): .outside(low: low, high: high)
        case .rises(let percent, let window): .rises(percent, within: window)
        case .falls(let percent, let window): .falls(percent, within: window)
        case .moves(let percent, let window): .moves(percent, within: window)
        case .newHigh(let window): .newHigh(window)
        case .newLow(let window): .newLow(window)
        case .stale(let duration): .stale(duration)
        case .marketStale(let duration): .marketStale(duration)
        case .marketMissing: .marketMissing(answers: BuiltInRule.missedAnswers)
        case .feedStale(let duration): .feedStale(duration ?? max(.minutes(10), every * 3))
        }
    }
}

extension Configuration.Feed {
    /// What stands in place of a market where the feed as a whole is meant: its name.
    var pseudoMarket: MarketID {
        let text = name.filter { $0 != "," }.prefix(MarketID.longest)
        // The provider's own word is an id in any case.
        return (try? MarketID(String(text))) ?? (try? MarketID(provider.rawValue)) ?? .feed
    }
}

extension Configuration.Rule {
    /// The history it looks back on; nil where the present price is enough.
    var window: (key: String, length: Duration)? {
        switch condition {
        case .above, .below, .outside, .stale, .marketStale, .marketMissing, .feedStale: nil
        case .rises(_, let within), .falls(_, let within), .moves(_, let within): ("within", within)
        case .newHigh(let window): ("new_high", window)
        case .newLow(let window): ("new_low", window)
        }
    }
}
