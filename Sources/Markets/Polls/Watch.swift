/// What a poll asks a provider for.
package struct Watch: Sendable, Hashable {
    /// A market and the provider's id for it.
    package struct Entry: Sendable, Hashable {
        package var market: MarketID
        package var providerID: String

        package init(_ market: MarketID, providerID: String? = nil) {
            self.market = market
            self.providerID = providerID ?? market.text
        }
    }

    /// Asked by name, in this order, without duplicates.
    package var entries: [Entry]
    /// Also the N largest by market cap; 0 for none.
    package var top: Int
    package var currency: Currency

    /// There is nothing to ask for.
    package var isEmpty: Bool { entries.isEmpty && top == 0 }

    package init(_ entries: [Entry], top: Int = 0, currency: Currency) {
        var seen: Set<MarketID> = []
        self.entries = entries.filter { seen.insert($0.market).inserted }
        self.top = max(0, top)
        self.currency = currency
    }

    package init(_ markets: [MarketID], top: Int = 0, currency: Currency) {
        self.init(markets.map { Entry($0) }, top: top, currency: currency)
    }
}
