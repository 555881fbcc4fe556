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
    var quota: Quota?
    /// When the day's summary is told; nil: never.
    var digest: (at: TimeOfDay, zone: TimeZone)?
    var retention: Retention
    var host: String
    var startedAt: Date

    init(_ configuration: Configuration, feed: Configuration.Feed, host: String, startedAt: Date) {
        feedName = feed.name
        currency = configuration.currency
        every = configuration.every(of: feed)
        watch = Watch(
            configuration.namedMarkets.compactMap { market in
                feed.id(of: market, in: configuration.currency).map { Watch.Entry(market.id, providerID: $0) }
            }, top: configuration.watch.top, currency: configuration.currency)
        let asked = Set(watch.entries.map(\.market))
        unmapped = configuration.namedMarkets.map(\.id).filter { !asked.contains($0) }
        watchlist = Watchlist(
            named: configuration.namedMarkets.map {
                Watchlist.Item(market: $0.id, staleAfter: configuration.staleAfter(of: $0.id))
            }, top: configuration.watch.top, staleAfter: configuration.staleAfter(ofRankedIn: feed))
        let pages = (try? feed.madeProvider())?.pages(for: watch).count ?? 1
        deadline = configuration.cycleDeadline(pages: pages)
        rules = configuration.alertRules
        digest = configuration.digest.map { ($0.at, configuration.timeZone) }
        quota = feed.monthlyQuota.map(Quota.init(requestsPerMonth:))
        retention = Retention(configuration.history)
        self.host = host
        self.startedAt = startedAt
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
