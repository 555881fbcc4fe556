import Engine
import Feeds
import Markets

/// What one source polls, from which feeds, and how often.
struct SourcePlan: Sendable {
    var source: SourceID
    /// In order of preference; a market's own source has one feed. Never empty.
    var members: [Member]
    /// The configured interval. Cooldowns and the quota throttle may lengthen it.
    var every: Duration

    struct Member: Hashable, Sendable {
        var feed: Configuration.Feed
        var watch: Markets.Watch
        /// Named markets that the feed has no name for.
        var unmapped: [MarketID]
    }

    var feed: Configuration.Feed { members[0].feed }

}

extension Configuration {
    /// The shared source, if any market is polled from the feeds in order of preference, then a source for each feed
    /// that a market names, in the order of `feeds`. Never empty.
    var sourcePlans: [SourcePlan] {
        let shared = sharedPlan
        let own = feeds.compactMap { feed -> SourcePlan? in
            let markets = namedMarkets.filter { $0.feed == feed.name }
            // Markets of the preferred feed alone are polled in the shared source's requests.
            guard !markets.isEmpty, shared?.feed.name != feed.name else { return nil }
            let member = member(feed, asked: markets, top: 0)
            return SourcePlan(
                source: .own(feed.name), members: [member], every: every(of: feed))
        }
        return [shared].compactMap { $0 } + own
    }

    private var sharedPlan: SourcePlan? {
        let markets = namedMarkets.filter { $0.feed == nil }
        guard !markets.isEmpty || watch.top > 0 || namedMarkets.isEmpty, let first = feeds.first else { return nil }
        let members = feeds.compactMap { feed -> SourcePlan.Member? in
            let isFirst = feed.name == first.name
            // A substitute feed polls the markets of the last ranking by name, even if it cannot rank.
            let ranks = feed.provider.listed?.ranksMarkets ?? false
            let member = member(
                feed, asked: namedMarkets.filter { $0.feed == nil || $0.feed == first.name },
                top: ranks || !isFirst ? watch.top : 0)
            let hasNames = !member.watch.entries.isEmpty || (watch.top > 0 && canNameRanked(feed))
            return isFirst || hasNames ? member : nil
        }
        return SourcePlan(source: .shared, members: members, every: every(of: first))
    }

    private func member(_ feed: Feed, asked: [Market], top: Int) -> SourcePlan.Member {
        var entries: [Markets.Watch.Entry] = []
        var unmapped: [MarketID] = []
        for market in asked {
            if let name = name(of: market, at: feed) {
                entries.append(Markets.Watch.Entry(market.id, providerID: name))
            } else {
                unmapped.append(market.id)
            }
        }
        return SourcePlan.Member(
            feed: feed, watch: Markets.Watch(entries, top: top, currency: currency), unmapped: unmapped)
    }

    /// A market's name at a feed; nil: it has no mapping there. The `json` provider uses the id itself if its feed is
    /// the first.
    func name(of market: Market, at feed: Feed) -> String? {
        let isFirst = feed.name == feeds.first?.name && market.feed == nil
        return feed.id(of: market, in: currency) ?? (isFirst && feed.provider == .json ? market.id.text : nil)
    }

    /// Whether the feed can substitute for markets that are watched by rank.
    private func canNameRanked(_ feed: Feed) -> Bool {
        feed.provider == .coinGecko || KnownMarkets.all.contains { name(of: Market(id: $0), at: feed) != nil }
    }

    /// The source of this market.
    func source(of market: Market) -> SourceID {
        guard let feed = market.feed else { return .shared }
        return feed == feeds.first?.name && sharedPlan != nil ? .shared : .own(feed)
    }

    func sourcePlan(of market: MarketID) -> SourcePlan {
        let plans = sourcePlans
        let source = watch.markets.first { $0.id == market }.map(source(of:)) ?? .shared
        return plans.first { $0.source == source } ?? plans[0]
    }

    /// Feeds that are never polled, because no market has a name there.
    var idleFeeds: [Feed] {
        let asked = Set(sourcePlans.flatMap { $0.members.map(\.feed.name) })
        return feeds.filter { !asked.contains($0.name) }
    }
}

extension SourcePlan {
    /// Requests per poll of the preferred feed.
    var pages: Int { members[0].pages }
}

extension SourcePlan.Member {
    /// Requests per poll.
    var pages: Int { (try? feed.madeProvider())?.pages(for: watch).count ?? 1 }
}

extension Configuration {
    /// The longest duration of a cycle.
    var deadline: Duration { cycleDeadline(pages: sourcePlans.map(\.pages).max() ?? 1) }

    /// The longest duration of a poll of this source. A market's own source must not delay the others beyond a tick,
    /// unless its pages need the time.
    func limit(of plan: SourcePlan) -> Duration {
        guard plan.source != .shared else { return deadline }
        return min(deadline, max(poll.timeout, tick * 4 / 5, .seconds(plan.pages)))
    }
}
