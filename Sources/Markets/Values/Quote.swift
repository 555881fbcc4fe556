import Foundation

/// One market's price as a provider stated it.
package struct Quote: Hashable, Sendable {
    package var market: MarketID
    /// Short name such as `btc`; not unique, may be empty. Untrusted, not escaped.
    package let symbol: String
    /// Long name such as `Bitcoin`. Untrusted, not escaped.
    package let name: String
    package var currency: Currency
    package var price: Price
    /// When the provider says the price was current; nil if it does not say.
    package var quotedAt: Date?
    /// The provider's own 24 h change; nil if it states none.
    package var reportedChange: Percent?
    /// Traded in 24 h, in `currency`.
    package var volume24h: Double?
    /// In `currency`.
    package var marketCap: Double?

    /// In bytes of UTF-8; longer texts are cut.
    package static let longestSymbol = 50
    package static let longestName = 200

    package init(
        market: MarketID, symbol: String, name: String, currency: Currency, price: Price, quotedAt: Date?,
        reportedChange: Percent? = nil, volume24h: Double? = nil, marketCap: Double? = nil
    ) {
        self.market = market
        self.symbol = symbol.cut(toBytes: Self.longestSymbol)
        self.name = name.cut(toBytes: Self.longestName)
        self.currency = currency
        self.price = price
        self.quotedAt = quotedAt
        self.reportedChange = reportedChange
        self.volume24h = volume24h
        self.marketCap = marketCap
    }
}

/// One price of a provider's own history.
package struct PastQuote: Hashable, Sendable {
    package var quotedAt: Date
    package var price: Price
    /// Traded in 24 h, and market capitalisation, where they are stated.
    package var volume24h: Double?
    package var marketCap: Double?

    package init(quotedAt: Date, price: Price, volume24h: Double? = nil, marketCap: Double? = nil) {
        self.quotedAt = quotedAt
        self.price = price
        self.volume24h = volume24h
        self.marketCap = marketCap
    }
}
