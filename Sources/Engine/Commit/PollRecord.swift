import Foundation
import Markets

/// One poll of a source as it is recorded.
package struct PollRecord: Sendable {
    /// When the poll began.
    package var at: Date
    /// When the answer was complete; without an answer, when the poll ended.
    package var fetchedAt: Date
    package var feed: String
    package var source: SourceID
    /// The poll interval in force; zero: as configured.
    package var interval: Duration
    package var currency: Currency
    package var outcome: PollOutcome
    /// The kind of the error; nil if there was none.
    package var error: String?
    package var samples: [Sample] = []
    /// Large moves: those that wait for confirmation and those that this poll decided.
    package var moves: [LargeMove] = []
    package var unknown: [(market: MarketID, reason: UnknownReason)] = []
    /// The markets that are watched from this poll on; nil: those of the poll before.
    package var watched: WatchedMarkets?
    /// The largest markets by rank; nil if the answer has no ranking.
    package var ranking: [MarketID]?

    package init(
        at: Date, fetchedAt: Date, feed: String, source: SourceID = .shared, interval: Duration = .zero,
        currency: Currency, outcome: PollOutcome, error: String? = nil, samples: [Sample] = [], moves: [LargeMove] = [],
        unknown: [(market: MarketID, reason: UnknownReason)] = [], watched: WatchedMarkets? = nil,
        ranking: [MarketID]? = nil
    ) {
        self.at = at
        self.fetchedAt = fetchedAt
        self.feed = feed
        self.source = source
        self.interval = interval
        self.currency = currency
        self.outcome = outcome
        self.error = error
        self.samples = samples
        self.moves = moves
        self.unknown = unknown
        self.watched = watched
        self.ranking = ranking
    }
}

/// The watched markets, and which of them the configuration names: those are never forgotten.
package struct WatchedMarkets: Hashable, Sendable {
    package var all: [MarketID]
    package var named: [MarketID]

    package init(_ all: [MarketID], named: [MarketID] = []) {
        self.all = all
        self.named = named
    }
}
