/// Which markets are watched.
public struct Watchlist: Hashable, Sendable {
    /// Those named in the configuration, in its order.
    public var named: [Item]
    /// How many of the largest markets besides; 0: none.
    public var top: Int
    /// When a market that is watched for its rank counts as stale.
    public var staleAfter: Duration
    /// When the price of such a market has moved too far to be believed at once; nil: never.
    public var moveLimit: MoveLimit?
    /// The largest markets as they were last answered, for the time until they are answered again.
    public var lastRanking: [MarketID]

    public struct Item: Hashable, Sendable {
        public var market: MarketID
        public var staleAfter: Duration
        /// When its price has moved too far to be believed at once; nil: never.
        public var moveLimit: MoveLimit?
        public var lane: Lane

        public init(market: MarketID, staleAfter: Duration, moveLimit: MoveLimit? = nil, lane: Lane = .shared) {
            self.market = market
            self.staleAfter = staleAfter
            self.moveLimit = moveLimit
            self.lane = lane
        }
    }

    public init(
        named: [Item], top: Int, staleAfter: Duration, moveLimit: MoveLimit? = nil, lastRanking: [MarketID] = []
    ) {
        self.named = named
        self.top = top
        self.staleAfter = staleAfter
        self.moveLimit = moveLimit
        self.lastRanking = lastRanking
    }
}
