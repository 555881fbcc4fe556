import Engine
import Feeds
import Foundation
import Markets

/// Settings derived from several keys: what is polled, from which feeds, and how often.
extension Configuration {
    /// The named markets: those of `watch.markets`, then those that only portfolios and only rules name, in the file's
    /// order.
    var namedMarkets: [Market] {
        var markets = watch.markets
        var seen = Set(markets.map(\.id))
        for part in watch.markets.flatMap({ $0.portfolio?.parts ?? [] }) where seen.insert(part.market).inserted {
            markets.append(Market(id: part.market))
        }
        for case .markets(let ids) in alerts.rules.map(\.scope) {
            for id in ids where seen.insert(id).inserted { markets.append(Market(id: id)) }
        }
        return markets
    }

    /// Those that feeds are asked for.
    var quotedMarkets: [Market] { namedMarkets.filter { $0.portfolio == nil } }

    /// The shared source, if any market is polled from the feeds in order of preference, then a source for each feed
    /// that a market names, in the order of `feeds`. Never empty.
    var sources: [SourceSettings] {
        let shared = sharedSource
        var sources = [shared].compactMap { $0 }
        for feed in feeds {
            let markets = quotedMarkets.filter { $0.feed == feed.name }
            // Markets of the preferred feed alone are polled in the shared source's requests.
            guard !markets.isEmpty, shared?.members[0].feed != feed.name else { continue }
            let every = every(of: feed)
            sources.append(
                SourceSettings(
                    id: .own(feed.name), members: [member(feed, of: markets, top: 0, every)], every: every, limit: every
                ))
        }
        let deadline = deadline(of: sources)
        let tick = sources.map(\.every).min() ?? deadline
        for place in sources.indices {
            // A market's own source must not delay the others beyond a tick, unless its pages need the time.
            let own = max(poll.timeout, tick * 4 / 5, .seconds(sources[place].members[0].pages))
            sources[place].limit = sources[place].id == .shared ? deadline : min(deadline, own)
        }
        return sources
    }

    private var hasSharedSource: Bool {
        watch.top > 0 || namedMarkets.isEmpty || quotedMarkets.contains { $0.feed == nil }
    }

    private var sharedSource: SourceSettings? {
        guard hasSharedSource else { return nil }
        let every = every(of: feeds[0])
        let markets = quotedMarkets.filter { $0.feed == nil || $0.feed == feeds[0].name }
        let members = feeds.compactMap { feed -> SourceSettings.Member? in
            let isFirst = feed.name == feeds[0].name
            // A substitute feed polls the markets of the last ranking by name, even if it cannot rank.
            let ranks = feed.provider.listed?.ranksMarkets ?? false
            let member = member(feed, of: markets, top: ranks || !isFirst ? watch.top : 0, every)
            let canNameRanked = ![.none, .known([:])].contains(member.names)
            let hasNames = !member.watch.entries.isEmpty || (watch.top > 0 && canNameRanked)
            return isFirst || hasNames ? member : nil
        }
        return SourceSettings(id: .shared, members: members, every: every, limit: every)
    }

    private func member(
        _ feed: Feed, of markets: [Market], top: Int, _ every: Duration
    ) -> SourceSettings.Member {
        let names = markets.map { ($0.id, name(of: $0, at: feed)) }
        let entries = names.compactMap { id, name in name.map { Markets.Watch.Entry(id, providerID: $0) } }
        let watch = Markets.Watch(entries, top: top, currency: currency(of: feed))
        var member = SourceSettings.Member(feed: feed.name, watch: watch, every: feed.every ?? every)
        member.unmapped = names.filter { $1 == nil }.map(\.0)
        member.names = rankedNames(at: feed)
        member.pages = feed.madeProvider?.pages(for: watch).count ?? 1
        member.quota = feed.monthlyQuota
        return member
    }

    /// The feed's names of the markets that are watched by rank.
    private func rankedNames(at feed: Feed) -> SourceSettings.RankedNames {
        switch feed.provider {
        case .coinGecko: return .ids
        case .json: return .none
        default:
            let known = KnownMarkets.all.compactMap { market in
                name(of: Market(id: market), at: feed).map { (market, $0) }
            }
            return .known(Dictionary(known, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// A market's name at a feed; nil: it has no mapping there, names another feed, or is a portfolio. Configured names come first.
    /// CoinGecko uses the id itself, as does a `json` feed that is the first or that the market names; the others use
    /// the table of known names.
    func name(of market: Market, at feed: Feed) -> String? {
        guard market.portfolio == nil, market.feed == nil || market.feed == feed.name else { return nil }
        if let id = market.ids[feed.name] ?? market.ids[feed.provider.rawValue] { return id }
        switch feed.provider {
        case .coinGecko: return market.id.text
        case .json: return market.feed == feed.name || feed.name == feeds.first?.name ? market.id.text : nil
        default: return KnownMarkets.name(of: market.id, at: feed.provider.rawValue, in: currency(of: feed))
        }
    }

    /// The source of this market; of a portfolio, that of its parts which is polled most often.
    func source(of market: Market) -> SourceID {
        if let portfolio = market.portfolio {
            let parts = Set(quotedMarkets.filter(portfolio.holds).map(source))
            return sources.filter { parts.contains($0.id) }.min { $0.every < $1.every }?.id ?? .shared
        }
        guard let feed = market.feed else { return .shared }
        return feed == feeds[0].name && hasSharedSource ? .shared : .own(feed)
    }

    /// The feed of this name; the first if there is none.
    func feed(named name: String?) -> Feed { feeds.first { $0.name == name } ?? feeds[0] }

    func currency(of feed: Feed) -> Currency { feed.currency ?? currency }

    /// A portfolio has the currency of all its parts.
    private func currency(of market: Market) -> Currency {
        let quoted = market.portfolio.flatMap { quotedMarkets.first(where: $0.holds) } ?? market
        return currency(of: feed(named: quoted.feed))
    }

    /// The currency of every market: that of its feeds.
    var currencies: MarketCurrencies {
        let usual = hasSharedSource ? currency(of: feeds[0]) : currency
        let named = namedMarkets.map { ($0.id, currency(of: $0)) }
        return MarketCurrencies(
            usual, others: Dictionary(named.filter { $1 != usual }, uniquingKeysWith: { first, _ in first }))
    }

    // MARK: Durations

    /// The interval of this feed's polls. Cooldowns and the quota throttle may lengthen it.
    func every(of feed: Feed) -> Duration { feed.every ?? poll.every ?? feed.terms?.every ?? .seconds(60) }

    /// The shortest interval of all sources.
    var tick: Duration { sources.map(\.every).min() ?? every(of: feeds[0]) }

    /// The longest duration of a cycle: the shortest interval, or as long as the requests of one source may take.
    func deadline(of sources: [SourceSettings]) -> Duration {
        let pages = sources.map(\.members[0].pages).max() ?? 1
        return max(sources.map(\.every).min() ?? .zero, poll.timeout * max(1, pages))
    }

    /// The age from which this market's quote is stale: its own setting, its feed's, the poll's, else the longer of 15
    /// minutes and three intervals.
    func staleness(of market: MarketID) -> Staleness {
        staleness(of: watch.markets.first { $0.id == market } ?? Market(id: market))
    }

    private func staleness(of market: Market) -> Staleness {
        if market.portfolio != nil { return .never }
        return market.staleAfter.map { Staleness(after: $0) } ?? staleness(in: feed(named: market.feed))
    }

    /// The age from which the quote of a market of this feed is stale.
    func staleness(in feed: Feed) -> Staleness {
        if let configured = feed.staleAfter ?? poll.staleAfter { return Staleness(after: configured) }
        return Staleness(after: max(.minutes(15), every(of: feed) * 3), followsInterval: true)
    }
}

extension Portfolio {
    fileprivate func holds(_ market: Configuration.Market) -> Bool { parts.contains { $0.market == market.id } }
}

extension Configuration.Feed {
    /// The provider that this feed polls; nil only for a faulty feed.
    var madeProvider: (any Provider)? { provider.listed.map { $0.init(plan: plan) } ?? json }

    /// The terms of provider and plan; nil for the `json` provider.
    var terms: ProviderTerms? { provider.listed?.terms[plan] }

    /// Requests a month of all that use the key; nil: no known limit.
    var wholeQuota: Int? { quotaMonth ?? terms?.quotaMonth }

    /// The requests a month that this daemon may send; nil: no known limit.
    var monthlyQuota: Int? {
        wholeQuota.map { max(1, NSDecimalNumber(decimal: Decimal($0) * quotaShare).intValue) }
    }

    /// The time between two requests for historical prices.
    var pastPause: Duration { terms?.pastEvery ?? .seconds(10) }
}

extension Settings {
    /// - Parameter once: For a process of one cycle: how long it waits for deliveries after it; nil: a daemon.
    init(_ configuration: Configuration, host: String, once: Duration? = nil) {
        let sources = configuration.sources
        self.init(
            host: host, watchlist: configuration.watchlist(of: sources), sources: sources,
            feeds: configuration.feeds.map(\.name), rules: configuration.alertRules,
            routing: Routing(configuration), deadline: configuration.deadline(of: sources))
        zone = configuration.zone
        digest = configuration.digest.map { DigestTime(at: $0.at, on: $0.days) }
        backfill = configuration.history.backfill
        heartbeat = configuration.heartbeat?.every
        maxSize = configuration.history.retention.maxSize
        exports = configuration.exports.map { ExportSettings(name: $0.name, address: $0.address.fingerprint) }
        self.once = once
    }
}

extension Configuration {
    /// The watched markets for the engine's board.
    fileprivate func watchlist(of sources: [SourceSettings]) -> Watchlist {
        let ranked = feed(named: sources[0].members[0].feed)
        return Watchlist(
            named: namedMarkets.map {
                Watchlist.Item(
                    market: $0.id, staleness: staleness(of: $0), moveLimit: poll.confirmMovesOver,
                    source: source(of: $0), portfolio: $0.portfolio)
            }, top: watch.top, staleness: staleness(in: ranked), moveLimit: poll.confirmMovesOver,
            currencies: currencies)
    }
}

extension Routing {
    init(_ configuration: Configuration) {
        self.init(
            configuration.notify.map { channel in
                var routing = channel.routing
                routing.zone = configuration.zone
                return routing
            }, rules: configuration.alertRules,
            digest: configuration.digest?.notify ?? [])
    }
}
