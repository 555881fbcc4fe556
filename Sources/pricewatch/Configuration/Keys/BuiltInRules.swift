import Engine
import Markets

extension AlertRule {
    /// The built-in rules, before `Configuration.alertRules` gives them their scope. No market stands for the named
    /// ones, and a length of zero for the longer of 10 minutes and three intervals.
    static let builtIn: [AlertRule] = {
        var feedStale = AlertRule(name: "feed-stale", scope: .feed(.feed), condition: .feedStale(.zero))
        feedStale.severity = .critical
        return [
            feedStale,
            AlertRule(name: "market-stale", scope: .markets([]), condition: .marketStale(.minutes(10))),
            AlertRule(name: "market-missing", scope: .markets([]), condition: .marketMissing(answers: 3)),
        ]
    }()
}

extension Configuration {
    /// The rules for the engine: the configured ones, then the built-in ones that are not overridden.
    var alertRules: [AlertRule] {
        let own = Set(alerts.rules.map(\.name))
        let builtIn = alerts.builtIn ? AlertRule.builtIn.filter { !own.contains($0.name) } : []
        let named = quotedMarkets.map(\.id)
        return (alerts.rules + builtIn).flatMap { rule -> [AlertRule] in
            var rule = rule
            switch (rule.scope, rule.condition) {
            case (.markets([]), _):
                rule.scope = .markets(named)
                return named.isEmpty ? [] : [rule]
            case (.feed, .feedStale(let length)):
                return sources.compactMap { rule.about($0, of: feed(named: $0.members[0].feed), for: length) }
            default: return [rule]
            }
        }
    }
}

extension AlertRule {
    /// The rule about one source: their intervals differ.
    fileprivate func about(_ source: SourceSettings, of feed: Configuration.Feed, for length: Duration) -> AlertRule {
        var rule = self
        rule.scope = .feed(feed.pseudoMarket, of: source.id)
        let least = length == .zero ? Duration.minutes(10) : length
        // The limit for the shared source must not fire at each pause of a source with a longer interval.
        let isExact = length > .zero && source.id == .shared
        rule.condition = .feedStale(isExact ? length : max(least, source.every * 3))
        return rule
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
