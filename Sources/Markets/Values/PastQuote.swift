import Foundation

/// One price of a provider's own history.
public struct PastQuote: Hashable, Sendable {
    public var quotedAt: Date
    public var price: Price
    /// Traded in 24 h, and market capitalisation, where they are stated.
    public var volume24h: Double?
    public var marketCap: Double?

    public init(quotedAt: Date, price: Price, volume24h: Double? = nil, marketCap: Double? = nil) {
        self.quotedAt = quotedAt
        self.price = price
        self.volume24h = volume24h
        self.marketCap = marketCap
    }
}
