import Engine
import Feeds
import Markets

/// What follows from the keys together. Nothing here is a key of its own.
extension Configuration {
    /// The markets named in the configuration: those of `watch.markets`, then those that only rules name, in the
    /// order of the file.
    var namedMarkets: [Market] {
        var markets = watch.markets
        var seen = Set(markets.map(\.id))
        for case .markets(let ids) in alerts.map(\.scope) {
            for id in ids where seen.insert(id).inserted { markets.append(Market(id: id)) }
        }
        return markets
    }

    /// The time between two polls as configured: `poll.every`, else that of the first feed. Waits and the quota's
    /// pace may lengthen it.
    var interval: Duration { poll.every ?? feeds.first.map(every(of:)) ?? Feed.usualInterval }

    /// The time between two questions to this feed.
    func every(of feed: Feed) -> Duration { feed.every ?? poll.every ?? feed.terms?.every ?? Feed.usualInterval }

    /// The shortest time between two polls.
    var tick: Duration { lanePlans.map(\.every).min() ?? interval }

    /// D, the longest a cycle may last in which a feed is asked for so many pages.
    func cycleDeadline(pages: Int) -> Duration { max(tick, poll.timeout * max(1, pages)) }

    /// From when on this market's quote is old: its own setting, its feed's, the poll's, else the longer of
    /// 15 minutes and three intervals.
    func staleness(of market: MarketID) -> Staleness {
        let named = watch.markets.first { $0.id == market }
        if let own = named?.staleAfter { return Staleness(after: own) }
        return staleness(in: feeds.first { $0.name == named?.feed } ?? feeds.first)
    }

    /// From when on the quote of a market is old that this feed is asked for.
    func staleness(in feed: Feed?) -> Staleness {
        if let configured = feed?.staleAfter ?? poll.staleAfter { return Staleness(after: configured) }
        let every = feed.map(every(of:)) ?? interval
        return Staleness(after: max(.minutes(15), every * 3), followsInterval: true)
    }
}

extension Configuration.Feed {
    /// Requests a month; nil: no limit known.
    var monthlyQuota: Int? { quotaMonth ?? terms?.quotaMonth }

    /// How often to ask where neither the configuration nor the provider says.
    static let usualInterval = Duration.seconds(60)

    /// The time between two questions for the past.
    var pastPause: Duration { terms?.pastEvery ?? Self.usualPastPause }
    static let usualPastPause = Duration.seconds(10)

    /// What follows from provider and plan; nil for our generic feed.
    var terms: ProviderTerms? { provider.listed?.terms[plan.agreed] }

    /// What this market is called here; nil: it has no mapping, or is asked of another feed alone. CoinGecko is asked
    /// by the id itself, as is our generic feed for markets of its own; the others by the owner's word, else by the
    /// table of those whose names are certain.
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
