import Engine
import Foundation
import Markets

/// All that one poll leaves behind, written in one transaction: wholly there, or not at all.
public struct PollRecord: Sendable {
    /// When the poll began.
    public var at: Date
    /// When the answer was complete; equal to `at` where there was none.
    public var fetchedAt: Date
    public var feed: String
    /// Whose markets the feed was asked for.
    public var lane: Lane
    /// The time between two polls of the lane that led to it; zero: as configured.
    public var interval: Duration
    public var currency: Currency
    public var outcome: PollOutcome
    /// The kind of the error of a failed poll.
    public var error: String?
    public var samples: [Sample]
    /// What became of moves that were too large to be believed at once.
    public var moves: [LargeMove]
    public var unknown: [(market: MarketID, reason: UnknownReason)]
    /// The markets that are watched from this poll on; nil: those of the poll before.
    public var watched: [MarketID]?
    /// Those of them that the configuration names: they are never forgotten.
    public var named: [MarketID]
    /// The largest markets by rank, where the answer has them.
    public var ranking: [MarketID]?
    public var alerts: AlertRecord
    /// When the daemon began, with the first that it writes; nil in all that follows.
    public var daemonStart: Date?

    public init(
        at: Date, fetchedAt: Date, feed: String, lane: Lane = .shared, interval: Duration = .zero, currency: Currency,
        outcome: PollOutcome, error: String? = nil, samples: [Sample] = [], moves: [LargeMove] = [],
        unknown: [(market: MarketID, reason: UnknownReason)] = [],
        watched: [MarketID]? = nil, named: [MarketID] = [], ranking: [MarketID]? = nil,
        alerts: AlertRecord = AlertRecord(),
        daemonStart: Date? = nil
    ) {
        self.at = at
        self.fetchedAt = fetchedAt
        self.feed = feed
        self.lane = lane
        self.interval = interval
        self.currency = currency
        self.outcome = outcome
        self.error = error
        self.samples = samples
        self.moves = moves
        self.unknown = unknown
        self.watched = watched
        self.named = named
        self.ranking = ranking
        self.alerts = alerts
        self.daemonStart = daemonStart
    }
}
