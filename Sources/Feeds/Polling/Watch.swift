import Markets

/// What a poll asks a provider for.
public struct Watch: Sendable, Hashable {
    /// A market, and the name by which this provider knows it.
    public struct Entry: Sendable, Hashable {
        public var market: MarketID
        public var providerID: String

        public init(_ market: MarketID, providerID: String? = nil) {
            self.market = market
            self.providerID = providerID ?? market.text
        }
    }

    /// Asked by name, in this order; a market stands here once.
    public var entries: [Entry]
    /// Also the N largest by market cap; 0 for none.
    public var top: Int
    public var currency: Currency

    /// There is nothing to ask for.
    public var isEmpty: Bool { entries.isEmpty && top == 0 }

    public init(_ entries: [Entry], top: Int = 0, currency: Currency) {
        var seen: Set<MarketID> = []
        self.entries = entries.filter { seen.insert($0.market).inserted }
        self.top = max(0, top)
        self.currency = currency
    }

    public init(_ markets: [MarketID], top: Int = 0, currency: Currency) {
        self.init(markets.map { Entry($0) }, top: top, currency: currency)
    }
}
