import Engine
import Feeds
import Foundation
import History
import Markets

extension Settings {
    /// - Parameter once: For a process of one cycle: how long it waits for deliveries after it; nil: a daemon.
    init(_ configuration: Configuration, host: String, once: Duration? = nil) {
        self.init(
            host: host, currency: configuration.currency, watchlist: configuration.watchlist,
            sources: configuration.sourcePlans.map { SourceSettings($0, configuration) },
            feeds: configuration.feeds.map(\.name), rules: configuration.alertRules,
            routing: Routing(configuration),
            digest: configuration.digest.map { DigestTime(at: $0.at, in: configuration.timeZone) },
            backfill: configuration.history.backfill, heartbeat: configuration.heartbeat?.every,
            maxSize: configuration.history.maxSize, deadline: configuration.deadline, once: once)
    }
}

extension SourceSettings {
    fileprivate init(_ plan: SourcePlan, _ configuration: Configuration) {
        self.init(
            id: plan.source,
            members: plan.members.map { member in
                Member(
                    feed: member.feed.name, watch: member.watch, unmapped: member.unmapped,
                    names: configuration.rankedNames(at: member.feed), pages: member.pages,
                    every: member.feed.every ?? plan.every, quota: member.feed.monthlyQuota)
            }, every: plan.every, limit: configuration.limit(of: plan))
    }
}

extension Configuration {
    /// The watched markets for the engine's board.
    fileprivate var watchlist: Watchlist {
        Watchlist(
            named: namedMarkets.map {
                Watchlist.Item(
                    market: $0.id, staleness: staleness(of: $0.id), moveLimit: moveLimit(of: $0),
                    source: source(of: $0))
            }, top: watch.top, staleness: staleness(in: sourcePlans[0].feed),
            moveLimit: moveLimit(in: sourcePlans[0].feed))
    }

    /// The move of a market of this feed that needs confirmation by a second poll; nil: none does.
    private func moveLimit(in feed: Feed) -> MoveLimit? {
        poll.confirmMovesOver.map { MoveLimit(percent: $0, memory: every(of: feed) * 3) }
    }

    private func moveLimit(of market: Market) -> MoveLimit? {
        moveLimit(in: feeds.first { $0.name == market.feed } ?? feeds[0])
    }

    /// The feed's names of the markets that are watched by rank.
    fileprivate func rankedNames(at feed: Feed) -> SourceSettings.RankedNames {
        switch feed.provider {
        case .coinGecko: .ids
        case .json: .none
        default:
            .known(
                Dictionary(
                    KnownMarkets.all.compactMap { market in
                        name(of: Market(id: market), at: feed).map { (market, $0) }
                    }, uniquingKeysWith: { first, _ in first }))
        }
    }
}

extension Routing {
    init(_ configuration: Configuration) {
        self.init(
            configuration.notify.map { Channel($0, in: configuration.timeZone) }, rules: configuration.alertRules,
            digest: configuration.digest?.notify ?? [])
    }
}

extension Routing.Channel {
    init(_ channel: Configuration.Channel, in zone: TimeZone) {
        self.init(
            name: channel.name, sendResolved: channel.sendResolved, maxAge: channel.maxAge, quiet: channel.quiet,
            zone: zone, address: channel.address.fingerprint)
    }
}

extension Retention {
    init(_ settings: Configuration.History) {
        self.init(
            samples: settings.keepSamples.duration, candles: settings.keepCandles.duration, maxSize: settings.maxSize)
    }
}

extension Configuration.Keeping {
    /// Nil: forever.
    fileprivate var duration: Duration? { if case .lasting(let duration) = self { duration } else { nil } }
}
