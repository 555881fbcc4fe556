import Engine
import Foundation
import Markets

/// What a provider answered of one market's past: written in one transaction, wholly there or not at all.
public struct Healing: Sendable {
    public var market: MarketID
    public var currency: Currency
    public var feed: String
    /// When the answer was complete.
    public var fetchedAt: Date
    /// The stretches it answers for. They are not asked for again, whatever it brought.
    public var holes: Holes
    /// In any order; those outside the stretches are left out.
    public var quotes: [PastQuote]

    public init(
        market: MarketID, currency: Currency, feed: String, fetchedAt: Date, holes: Holes, quotes: [PastQuote]
    ) {
        self.market = market
        self.currency = currency
        self.feed = feed
        self.fetchedAt = fetchedAt
        self.holes = holes
        self.quotes = quotes
    }
}

/// Where healed prices go: the daemon's own history, or the desk of a command beside it.
public protocol HealingStore: Sendable {
    var reader: HistoryReader { get }
    /// Returns how many prices were new.
    func heal(_ healing: Healing) throws(HistoryError) -> Int
}
