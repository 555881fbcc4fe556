import Engine
import Feeds
import Markets

/// Whom to ask for the past of one market.
struct PastSource: Sendable {
    let feed: Feed
    let entry: Watch.Entry
    let lane: Lane
    /// The time between two polls of its lane.
    let every: Duration

    var market: MarketID { entry.market }
}

/// Who may be asked for the past of one market.
struct PastCandidates: Sendable {
    let market: MarketID
    let lane: Lane
    /// The time between two polls of its lane.
    let every: Duration
    /// In order of preference, by the names of feeds and the market's names there.
    let feeds: [(name: String, entry: Watch.Entry)]

    /// The first that has a past to give; nil where none has.
    func source(among feeds: [Feed]) -> PastSource? {
        for (name, entry) in self.feeds {
            guard let feed = feeds.first(where: { $0.name == name }), feed.offersPast else { continue }
            return PastSource(feed: feed, entry: entry, lane: lane, every: every)
        }
        return nil
    }
}

extension Configuration {
    /// A market with a feed of its own has that one alone.
    func pastCandidates(of markets: [Market]) -> [PastCandidates] {
        markets.map { market in
            let able = feeds.filter { market.feed == nil || market.feed == $0.name }
            return PastCandidates(
                market: market.id, lane: market.feed.map(Lane.own) ?? .shared,
                every: every(of: able.first ?? feeds[0]),
                feeds: able.compactMap { feed in
                    name(of: market, at: feed).map { (feed.name, Feeds.Watch.Entry(market.id, providerID: $0)) }
                })
        }
    }
}
