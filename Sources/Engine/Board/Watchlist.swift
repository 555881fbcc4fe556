import Markets

/// Which markets are watched.
public struct Watchlist: Hashable, Sendable {
    /// Those named in the configuration, in its order.
    public var named: [Item]
    /// How many of the largest markets besides; 0: none.
    public var top: Int
    /// When a market that is watched for its rank counts as stale.
    public var staleness: Staleness
    /// When the price of such a market has moved too far to be believed at once; nil: never.
    public var moveLimit: MoveLimit?
    /// The largest markets as they were last answered, for the time until they are answered again.
    public var lastRanking: [MarketID]

    public struct Item: Hashable, Sendable {
        public var market: MarketID
        public var staleness: Staleness
        /// When its price has moved too far to be believed at once; nil: never.
        public var moveLimit: MoveLimit?
        public var lane: Lane

        public init(market: MarketID, staleness: Staleness, moveLimit: MoveLimit? = nil, lane: Lane = .shared) {
            self.market = market
            self.staleness = staleness
            self.moveLimit = moveLimit
            self.lane = lane
        }
    }

    public init(
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
    /// Stale after so long, however often it is asked for.
    public init(market: MarketID, staleAfter: Duration, moveLimit: MoveLimit? = nil, lane: Lane = .shared) {
        self.init(market: market, staleness: Staleness(after: staleAfter), moveLimit: moveLimit, lane: lane)
    }
}

extension Watchlist {
    /// Stale after so long, however often is polled.
    public init(
        named: [Item], top: Int, staleAfter: Duration, moveLimit: MoveLimit? = nil, lastRanking: [MarketID] = []
    ) {
        self.init(
            named: named, top: top, staleness: Staleness(after: staleAfter), moveLimit: moveLimit,
            lastRanking: lastRanking)
    }
}
