import Engine
import Feeds
import Markets

/// What one lane asks, of whom, and how often.
struct LanePlan: Sendable {
    var lane: Lane
    /// In order of preference; of a lane of a market's own, the one feed. Never empty.
    var members: [Member]
    /// The time between two polls as configured. Waits and the quota's pace may lengthen it.
    var every: Duration
    /// The shared lane's preferred feed is asked for these markets in the same requests, as long as it serves.
    var ridesAlong = false

    struct Member: Hashable, Sendable {
        var feed: Configuration.Feed
        var watch: Feeds.Watch
        /// Named markets that it has no name for.
        var unmapped: [MarketID]
    }

    var feed: Configuration.Feed { members[0].feed }

    func asksTheSame(as other: LanePlan) -> Bool { members == other.members }
}

extension Configuration {
    /// The shared lane, where anything is asked of the feeds in order of preference, then one for each feed that a
    /// market names, in the order of `feeds`. Never empty.
    var lanePlans: [LanePlan] {
        let shared = sharedPlan
        let own = feeds.compactMap { feed -> LanePlan? in
            let markets = namedMarkets.filter { $0.feed == feed.name }
            guard !markets.isEmpty else { return nil }
            let member = member(feed, asked: markets, top: 0)
            return LanePlan(
                lane: .own(feed.name), members: [member], every: every(of: feed),
                ridesAlong: shared?.feed.name == feed.name)
        }
        return [shared].compactMap { $0 } + own
    }

    private var sharedPlan: LanePlan? {
        let markets = namedMarkets.filter { $0.feed == nil }
        guard !markets.isEmpty || watch.top > 0 || namedMarkets.isEmpty, let first = feeds.first else { return nil }
        let members = feeds.compactMap { feed -> LanePlan.Member? in
            let isFirst = feed.name == first.name
            // What is asked of the preferred feed alone goes into the same requests.
            let asked = isFirst ? namedMarkets.filter { $0.feed == nil || $0.feed == feed.name } : markets
            // One that stands in names the markets of the last ranking, also where it ranks none itself.
            let ranks = feed.provider.listed?.ranksMarkets ?? false
            let member = member(feed, asked: asked, top: ranks || !isFirst ? watch.top : 0)
            let hasNames = !member.watch.entries.isEmpty || (watch.top > 0 && canNameRanked(feed))
            return isFirst || hasNames ? member : nil
        }
        return LanePlan(lane: .shared, members: members, every: every(of: first))
    }

    private func member(_ feed: Feed, asked: [Market], top: Int) -> LanePlan.Member {
        var entries: [Feeds.Watch.Entry] = []
        var unmapped: [MarketID] = []
        for market in asked {
            if let name = name(of: market, at: feed) {
                entries.append(Feeds.Watch.Entry(market.id, providerID: name))
            } else {
                unmapped.append(market.id)
            }
        }
        return LanePlan.Member(
            feed: feed, watch: Feeds.Watch(entries, top: top, currency: currency), unmapped: unmapped)
    }

    /// What a market is called at a feed; nil: it has no mapping there. Our generic feed is asked by the id itself where
    /// it comes first.
    func name(of market: Market, at feed: Feed) -> String? {
        let isFirst = feed.name == feeds.first?.name && market.feed == nil
        return feed.id(of: market, in: currency) ?? (isFirst && feed.provider == .json ? market.id.text : nil)
    }

    /// Whether it can stand in for markets that are watched for their rank.
    private func canNameRanked(_ feed: Feed) -> Bool {
        feed.provider == .coinGecko || KnownMarkets.all.contains { name(of: Market(id: $0), at: feed) != nil }
    }

    /// Who is asked for this market.
    func lanePlan(of market: MarketID) -> LanePlan {
        let plans = lanePlans
        let lane = watch.markets.first { $0.id == market }?.feed.map(Lane.own) ?? .shared
        return plans.first { $0.lane == lane } ?? plans[0]
    }

    /// Feeds that are never asked: no market has a name there.
    var idleFeeds: [Feed] {
        let asked = Set(lanePlans.flatMap { $0.members.map(\.feed.name) })
        return feeds.filter { !asked.contains($0.name) }
    }
}

extension LanePlan {
    /// Requests of a poll of the preferred feed.
    var pages: Int { (try? feed.madeProvider())?.pages(for: members[0].watch).count ?? 1 }
}

extension Configuration {
    /// D, the longest a cycle may last.
    var deadline: Duration { cycleDeadline(pages: lanePlans.map(\.pages).max() ?? 1) }

    /// How long a poll of this lane may last. One of a market's own must not cost the others a tick, unless its pages
    /// ask for it.
    func limit(of plan: LanePlan) -> Duration {
        guard plan.lane != .shared else { return deadline }
        return min(deadline, max(poll.timeout, tick * 4 / 5, .seconds(plan.pages)))
    }
}
