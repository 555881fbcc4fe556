import Foundation

/// One market's price as a provider stated it.
public struct Quote: Hashable, Sendable {
    public var market: MarketID
    /// Short name such as `btc`; not unique, may be empty. Comes from outside, unescaped.
    public let symbol: String
    /// Long name such as `Bitcoin`. Comes from outside, unescaped.
    public let name: String
    public var currency: Currency
    public var price: Price
    /// When the provider says the price was current; nil where it does not say.
    public var quotedAt: Date?
    /// The provider's own 24 h change; nil where it states none.
    public var reportedChange: Percent?
    /// Traded in 24 h, in `currency`.
    public var volume24h: Double?
    /// In `currency`.
    public var marketCap: Double?

    /// In bytes of UTF-8: what a provider says beyond them is cut off.
    public static let longestSymbol = 50
    public static let longestName = 200

    public init(
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
