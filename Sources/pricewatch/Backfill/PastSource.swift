import Engine
import Feeds
import Markets

/// The feed that backfills one market.
struct PastSource: Sendable {
    let feed: Feed
    let entry: Watch.Entry
    let source: SourceID
    /// The interval of the market's source.
    let every: Duration

    var market: MarketID { entry.market }
}

/// The feeds that may backfill one market.
struct PastCandidates: Sendable {
    let market: MarketID
    let source: SourceID
    /// The interval of the market's source.
    let every: Duration
    /// In order of preference: feed names, with the market's name at each.
    let feeds: [(name: String, entry: Watch.Entry)]

    /// The first feed that offers historical prices; nil if none does.
    func source(among feeds: [Feed]) -> PastSource? {
        for (name, entry) in self.feeds {
            guard let feed = feeds.first(where: { $0.name == name }), feed.offersPast else { continue }
            return PastSource(feed: feed, entry: entry, source: source, every: every)
        }
        return nil
    }
}

extension Configuration {
    /// A market with a `feed` of its own has only that one.
    func pastCandidates(of markets: [Market]) -> [PastCandidates] {
        markets.map { market in
            let able = feeds.filter { market.feed == nil || market.feed == $0.name }
            return PastCandidates(
                market: market.id, source: source(of: market),
                every: every(of: able.first ?? feeds[0]),
                feeds: able.compactMap { feed in
                    name(of: market, at: feed).map { (feed.name, Markets.Watch.Entry(market.id, providerID: $0)) }
                })
        }
    }
}

/// The daemon's backfill settings.
struct BackfillSettings: Sendable {
    /// How far back gaps are backfilled.
    var reach: Duration
    var candidates: [PastCandidates]
    var limits: PastLimits

    init?(_ configuration: Configuration) {
        guard let reach = configuration.history.backfill else { return nil }
        self.reach = reach
        candidates = configuration.pastCandidates(of: configuration.namedMarkets)
        limits = PastLimits(configuration)
    }
}

/// The limits of requests for historical prices, by feed name.
struct PastLimits: Sendable {
    /// The time between two requests.
    var pauses: [String: Duration]
    /// Requests a month; feeds without a limit are omitted.
    var quotas: [String: Int]

    init(_ configuration: Configuration) {
        pauses = Dictionary(configuration.feeds.map { ($0.name, $0.pastPause) }, uniquingKeysWith: { $1 })
        quotas = Dictionary(
            configuration.feeds.compactMap { feed in feed.monthlyQuota.map { (feed.name, $0) } },
            uniquingKeysWith: { $1 })
    }
}
