import Foundation
import Markets

/// Which markets are watched.
package struct Watchlist: Hashable, Sendable {
    /// Those named in the configuration, in its order.
    package var named: [Item]
    /// How many of the largest markets are watched besides; 0: none.
    package var top: Int
    /// When a market that is watched for its rank counts as stale.
    package var staleness: Staleness
    /// The limit beyond which a move of such a market needs confirmation; nil: none.
    package var moveLimit: MoveLimit?
    /// The last known ranking, used until the next one.
    package var lastRanking: [MarketID]

    package struct Item: Hashable, Sendable {
        package var market: MarketID
        package var staleness: Staleness
        /// The limit beyond which a move needs confirmation; nil: none.
        package var moveLimit: MoveLimit?
        package var source: SourceID

        package init(market: MarketID, staleness: Staleness, moveLimit: MoveLimit? = nil, source: SourceID = .shared) {
            self.market = market
            self.staleness = staleness
            self.moveLimit = moveLimit
            self.source = source
        }
    }

    package init(
        named: [Item], top: Int, staleness: Staleness, moveLimit: MoveLimit? = nil, lastRanking: [MarketID] = []
    ) {
        self.named = named
        self.top = top
        self.staleness = staleness
        self.moveLimit = moveLimit
        self.lastRanking = lastRanking
    }
}

extension Watchlist {
    /// A market that is watched for its rank.
    func ranked(_ market: MarketID) -> Item { Item(market: market, staleness: staleness, moveLimit: moveLimit) }
}

/// The age beyond which a market's quote is stale.
package struct Staleness: Hashable, Sendable {
    /// The limit at the configured interval.
    package var after: Duration
    /// Not configured explicitly: the limit is at least three times the interval in force.
    package var followsInterval: Bool

    package init(after: Duration, followsInterval: Bool = false) {
        self.after = after
        self.followsInterval = followsInterval
    }

    /// - Parameter interval: The time between two polls that is in force; zero: as configured.
    package func age(at interval: Duration) -> Duration {
        // For each market at each poll: `interval * 3` would convert the factor to 128 bits first.
        followsInterval ? max(after, interval + interval + interval) : after
    }
}

/// How far a price may move from one poll to the next and be trusted at once.
package struct MoveLimit: Hashable, Sendable {
    /// A larger move waits for the next poll.
    package var percent: Percent
    /// A trusted price that no answer has held for this long is no longer compared with.
    package var memory: Duration

    package init(percent: Percent, memory: Duration) {
        self.percent = percent
        self.memory = memory
    }

    func remembers(_ trusted: MarketBoard.PriceSample, at later: MarketBoard.PriceSample) -> Bool {
        later.fetchedAt.since(trusted.fetchedAt) < memory
    }
}

/// The source of a market's price. Markets of one source are polled together, at one interval.
package enum SourceID: Hashable, Sendable {
    /// The feeds in order of preference: if one fails, the next serves.
    case shared
    /// This feed alone.
    case own(String)
}

/// Markets with a feed of their own, and the poll interval of each source.
package struct OwnSources: Hashable, Sendable {
    /// Markets that are not here are in the shared source.
    package var sources: [MarketID: SourceID]
    /// The configured poll interval; a source that is not here uses that of the shared source.
    package var every: [SourceID: Duration]

    package init(sources: [MarketID: SourceID] = [:], every: [SourceID: Duration] = [:]) {
        self.sources = sources
        self.every = every
    }

    package subscript(market: MarketID) -> SourceID { sources[market] ?? .shared }
}
