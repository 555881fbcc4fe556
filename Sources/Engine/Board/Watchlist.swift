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

extension Watchlist.Item {
    /// Stale after a fixed time, whatever the poll interval.
    package init(market: MarketID, staleAfter: Duration, moveLimit: MoveLimit? = nil, source: SourceID = .shared) {
        self.init(market: market, staleness: Staleness(after: staleAfter), moveLimit: moveLimit, source: source)
    }
}

extension Watchlist {
    /// Stale after a fixed time, whatever the poll interval.
    package init(
        named: [Item], top: Int, staleAfter: Duration, moveLimit: MoveLimit? = nil, lastRanking: [MarketID] = []
    ) {
        self.init(
            named: named, top: top, staleness: Staleness(after: staleAfter), moveLimit: moveLimit,
            lastRanking: lastRanking)
    }
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
