import Engine
import Feeds
import Markets

/// Settings derived from several keys.
extension Configuration {
    /// The named markets: those of `watch.markets`, then those that only rules name, in the file's order.
    var namedMarkets: [Market] {
        var markets = watch.markets
        var seen = Set(markets.map(\.id))
        for case .markets(let ids) in alerts.map(\.scope) {
            for id in ids where seen.insert(id).inserted { markets.append(Market(id: id)) }
        }
        return markets
    }

    /// The configured interval: `poll.every`, else that of the first feed. Cooldowns and the quota throttle may
    /// lengthen it.
    var interval: Duration { poll.every ?? feeds.first.map(every(of:)) ?? Feed.usualInterval }

    /// The interval of this feed's polls.
    func every(of feed: Feed) -> Duration { feed.every ?? poll.every ?? feed.terms?.every ?? Feed.usualInterval }

    /// The shortest interval of all sources.
    var tick: Duration { sourcePlans.map(\.every).min() ?? interval }

    /// The longest duration of a cycle in which a feed is sent this many requests.
    func cycleDeadline(pages: Int) -> Duration { max(tick, poll.timeout * max(1, pages)) }

    /// The age from which this market's quote is stale: its own setting, its feed's, the poll's, else the longer of 15
    /// minutes and three intervals.
    func staleness(of market: MarketID) -> Staleness {
        let named = watch.markets.first { $0.id == market }
        if let own = named?.staleAfter { return Staleness(after: own) }
        return staleness(in: feeds.first { $0.name == named?.feed } ?? feeds.first)
    }

    /// The age from which the quote of a market of this feed is stale.
    func staleness(in feed: Feed?) -> Staleness {
        if let configured = feed?.staleAfter ?? poll.staleAfter { return Staleness(after: configured) }
        let every = feed.map(every(of:)) ?? interval
        return Staleness(after: max(.minutes(15), every * 3), followsInterval: true)
    }
}

extension Configuration.Feed {
    /// Requests a month; nil: no known limit.
    var monthlyQuota: Int? { quotaMonth ?? terms?.quotaMonth }

    /// The interval if neither the configuration nor the provider's terms set one.
    static let usualInterval = Duration.seconds(60)

    /// The time between two requests for historical prices.
    var pastPause: Duration { terms?.pastEvery ?? Self.usualPastPause }
    static let usualPastPause = Duration.seconds(10)

    /// The terms of provider and plan; nil for the `json` provider.
    var terms: ProviderTerms? { provider.listed?.terms[plan] }

    /// This market's name at the feed; nil: it has no mapping, or names another feed. Configured names come first.
    /// CoinGecko uses the id itself, as does a `json` feed for markets that name it; the others use the table of known
    /// names.
    func id(of market: Configuration.Market, in currency: Currency) -> String? {
        if let feed = market.feed, feed != name { return nil }
        if let id = market.ids[name] ?? market.ids[provider.rawValue] { return id }
        switch provider {
        case .coinGecko: return market.id.text
        case .json: return market.feed == name ? market.id.text : nil
        default: return KnownMarkets.name(of: market.id, at: provider.rawValue, in: currency)
        }
    }
}
