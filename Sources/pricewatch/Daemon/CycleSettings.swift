import Engine
import Feeds
import Foundation
import History
import Markets

/// What of the configuration a cycle lives by, worked out once.
struct CycleSettings: Sendable {
    /// The preferred feed of the first lane.
    var feedName: String
    /// All of them, in order of preference.
    var feeds: [Configuration.Feed]
    /// Who is asked for what; never empty.
    var lanes: [LanePlan]
    var currency: Currency
    /// The shortest time between two polls.
    var every: Duration
    /// D: no cycle lasts longer.
    var deadline: Duration
    /// All markets as the board knows them.
    var watchlist: Watchlist
    var rules: [AlertRule]
    /// Which channels hear of what.
    var routing: Routing
    /// Whether a time in which nothing was watched is told of; not by polls that their owner starts one by one.
    var tellsOfGaps: Bool
    /// When the day's summary is told; nil: never.
    var digest: (at: TimeOfDay, zone: TimeZone)?
    var retention: Retention
    /// Nil: gaps stay gaps.
    var backfill: BackfillSettings?
    var host: String
    var startedAt: Date

    init(_ configuration: Configuration, host: String, startedAt: Date, tellsOfGaps: Bool = true) {
        let plans = configuration.lanePlans
        lanes = plans
        feeds = configuration.feeds
        feedName = plans[0].feed.name
        currency = configuration.currency
        every = configuration.tick
        watchlist = Watchlist(
            named: configuration.namedMarkets.map {
                Watchlist.Item(
                    market: $0.id, staleness: configuration.staleness(of: $0.id),
                    moveLimit: configuration.moveLimit(of: $0), lane: $0.feed.map(Lane.own) ?? .shared)
            }, top: configuration.watch.top, staleness: configuration.staleness(in: plans[0].feed),
            moveLimit: configuration.moveLimit(in: plans[0].feed))
        deadline = configuration.deadline
        rules = configuration.alertRules
        routing = Routing(configuration)
        self.tellsOfGaps = tellsOfGaps
        digest = configuration.digest.map { ($0.at, configuration.timeZone) }
        retention = Retention(configuration.history)
        backfill = BackfillSettings(configuration)
        self.host = host
        self.startedAt = startedAt
    }

    func every(of lane: Lane) -> Duration { lanes.first { $0.lane == lane }?.every ?? every }

    /// Markets with a feed of their own, as the rules must know them.
    var ownLanes: OwnLanes {
        OwnLanes(
            lanes: Dictionary(
                watchlist.named.filter { $0.lane != .shared }.map { ($0.market, $0.lane) },
                uniquingKeysWith: { first, _ in first }),
            every: Dictionary(lanes.map { ($0.lane, $0.every) }, uniquingKeysWith: { first, _ in first }))
    }

    /// The lanes whose markets a recorded poll asked for: the shared one brings along what rides with its first feed.
    func lanes(of lane: Lane, polled feed: String?) -> [Lane] {
        guard lane == .shared else { return [lane] }
        return [.shared] + lanes.filter { $0.ridesAlong && $0.feed.name == feed }.map(\.lane)
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
    /// How far a market that this feed is asked for may move between two polls.
    func moveLimit(in feed: Feed) -> MoveLimit? {
        poll.confirmMovesOver.map { MoveLimit(percent: $0, memory: every(of: feed) * 3) }
    }

    func moveLimit(of market: Market) -> MoveLimit? {
        moveLimit(in: feeds.first { $0.name == market.feed } ?? feeds[0])
    }
}
