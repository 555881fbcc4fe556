import Foundation
import Markets

/// What a provider said in one poll, in our terms.
public struct Answer: Sendable {
    /// The usable quotes; those of the largest markets in the order of their rank.
    public var quotes: [Quote]
    /// Markets that the answer names without a price that can be used.
    public var unusable: [MarketID: UnknownReason]
    /// The largest markets by rank, where they were asked for and answered.
    public var ranking: [MarketID]?
    /// Markets asked for in a request that failed, of which nothing is known now.
    public var unreached: Set<MarketID>
    /// The same is true of all markets without a quote that are watched for their rank.
    public var rankingIsUnreached: Bool
    /// The provider said that nothing has changed since the last answer of this feed.
    public var notModified: Bool
    /// The feed that served it.
    public var feed: String
    /// The lanes that it was asked for: it says nothing of other markets.
    public var lanes: [Lane]
    /// The time between two polls that was in force; zero: as configured.
    public var interval: Duration
    /// The moment the answer was complete.
    public var fetchedAt: Date

    public init(
        quotes: [Quote], unusable: [MarketID: UnknownReason] = [:], ranking: [MarketID]? = nil,
        unreached: Set<MarketID> = [], rankingIsUnreached: Bool = false, notModified: Bool = false, feed: String,
        lanes: [Lane] = [.shared], interval: Duration = .zero, fetchedAt: Date
    ) {
        self.quotes = quotes
        self.unusable = unusable
        self.ranking = ranking
        self.unreached = unreached
        self.rankingIsUnreached = rankingIsUnreached
        self.notModified = notModified
        self.feed = feed
        self.lanes = lanes
        self.interval = interval
        self.fetchedAt = fetchedAt
    }
}

/// Why a market has no price now, or why its price is not the provider's latest word.
public enum UnknownReason: String, Hashable, Sendable, CaseIterable {
    /// Asked for, and the answer does not mention it.
    case notAnswered = "not_answered"
    case nullPrice = "null_price"
    /// Not a number, zero, negative, or outside 1e-18 to 1e18.
    case badPrice = "bad_price"
    /// No poll has asked for it yet, or the last one got no further.
    case notAsked = "not_asked"
    /// The answer is older than what we have.
    case oldQuote = "old_quote"
    /// The feed has no id for this market.
    case noMapping = "no_mapping"
    /// A large move that waits for the next poll.
    case unconfirmed
}
