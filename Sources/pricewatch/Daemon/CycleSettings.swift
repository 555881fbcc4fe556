import Feeds
import Foundation
import History
import Markets

/// What of the configuration a cycle lives by, worked out once.
struct CycleSettings: Sendable {
    var feedName: String
    var currency: Currency
    /// The time between two polls.
    var every: Duration
    /// D: no cycle lasts longer.
    var deadline: Duration
    /// What the provider is asked for.
    var watch: Watch
    /// Named markets that the feed has no name for.
    var unmapped: [MarketID]
    /// The same markets as the board knows them.
    var watchlist: Watchlist
    var rules: [AlertRule]
    /// Of the preferred feed.
    var quota: Quota?
    /// Requests a month, by the names of feeds.
    var quotas: [String: Int]
    /// When the day's summary is told; nil: never.
    var digest: (at: TimeOfDay, zone: TimeZone)?
    var retention: Retention
    /// How far back gaps are healed, and the time between two questions to each feed; nil: not at all.
    var backfill: (reach: Duration, pauses: [String: Duration])?
    var host: String
    var startedAt: Date

    init(_ configuration: Configuration, feed: Configuration.Feed, host: String, startedAt: Date) {
        feedName = feed.name
        currency = configuration.currency
        every = configuration.every(of: feed)
        let asked = configuration.watch(at: feed)
        watch = asked.watch
        unmapped = asked.unmapped
        watchlist = Watchlist(
            named: configuration.namedMarkets.map {
                Watchlist.Item(
                    market: $0.id, staleAfter: configuration.staleAfter(of: $0.id),
                    moveLimit: configuration.moveLimit(of: $0))
            }, top: configuration.watch.top, staleAfter: configuration.staleAfter(ofRankedIn: feed),
            moveLimit: configuration.moveLimit(in: feed))
        let pages = (try? feed.madeProvider())?.pages(for: watch).count ?? 1
        deadline = configuration.cycleDeadline(pages: pages)
        rules = configuration.alertRules
        digest = configuration.digest.map { ($0.at, configuration.timeZone) }
        quotas = Dictionary(
            configuration.feeds.compactMap { feed in feed.monthlyQuota.map { (feed.name, $0) } },
            uniquingKeysWith: { $1 })
        quota = feed.monthlyQuota.map(Quota.init(requestsPerMonth:))
        retention = Retention(configuration.history)
        backfill = configuration.history.backfill.map { ($0, configuration.pastPauses) }
        self.host = host
        self.startedAt = startedAt
    }
}

extension Configuration {
    /// What this feed is asked for, and the named markets that it has no name for.
    func watch(at feed: Feed) -> (watch: Feeds.Watch, unmapped: [MarketID]) {
        var entries: [Feeds.Watch.Entry] = []
        var unmapped: [MarketID] = []
        for market in namedMarkets {
            if let name = feed.id(of: market, in: currency) {
                entries.append(Feeds.Watch.Entry(market.id, providerID: name))
            } else {
                unmapped.append(market.id)
            }
        }
        let ranks = feed.provider.listed?.ranksMarkets ?? false
        let isPreferred = feed.name == feeds.first?.name
        // One that stands in names the markets of the last ranking, also where it ranks none itself.
        return (Feeds.Watch(entries, top: ranks || !isPreferred ? watch.top : 0, currency: currency), unmapped)
    }
}

extension Configuration {
    /// By the names of feeds.
    var pastPauses: [String: Duration] {
        Dictionary(feeds.map { ($0.name, $0.pastPause) }, uniquingKeysWith: { first, _ in first })
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

extension Configuration {
    /// From when on the quote of a market that is watched for its rank is old.
    func staleAfter(ofRankedIn feed: Feed) -> Duration {
        feed.staleAfter ?? poll.staleAfter ?? max(.minutes(15), every(of: feed) * 3)
    }
}

extension Configuration {
    /// How far a market that this feed is asked for may move between two polls.
    func moveLimit(in feed: Feed) -> MoveLimit? {
        poll.confirmMovesOver.map { MoveLimit(percent: $0, memory: every(of: feed) * 3) }
    }

    func moveLimit(of market: Market) -> MoveLimit? {
        moveLimit(in: feeds.first { $0.name == market.feed } ?? feeds[0])
    }
}
