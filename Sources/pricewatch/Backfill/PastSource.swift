import Feeds
import Markets

/// Whom to ask for the past of one market.
struct PastSource: Sendable {
    let feed: Feed
    let entry: Watch.Entry

    var market: MarketID { entry.market }

    /// For each market the first feed, in order of preference, that has a name for it and a past to give. A market
    /// without one is left out.
    static func list(_ markets: [MarketID], among members: [FailoverFeed.Member]) -> [PastSource] {
        let able = members.filter(\.feed.offersPast).map { member in
            (
                member.feed,
                Dictionary(member.watch.entries.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
            )
        }
        return markets.compactMap { market in
            able.lazy.compactMap { feed, entries in entries[market].map { PastSource(feed: feed, entry: $0) } }.first
        }
    }
}
