import Foundation
import Markets

/// What one answer brought that was not known before.
public struct Digest: Sendable {
    public var outcome = PollOutcome.failed
    /// To be recorded: the quotes that are new.
    public var samples: [Sample] = []
    /// Watched markets that were not known in this poll, or not by the provider's latest word, and why.
    public var unknown: [(market: MarketID, reason: UnknownReason)] = []
    /// How many watched markets the feed was asked for.
    public var asked = 0
    /// How many of them got a usable price.
    public var usable = 0
    /// Moves too large to be believed at once, and what became of those that waited.
    public var moves: [LargeMove] = []

    public init() {}

    mutating func settle() {
        outcome =
            usable == 0 ? .failed : samples.isEmpty ? .unchanged : usable == asked ? .ok : .partial
    }
}

extension [Digest] {
    /// How a turn ended in which several feeds were asked, each for its own markets.
    public var outcome: PollOutcome {
        guard contains(where: { $0.outcome != .failed }) else { return .failed }
        if contains(where: { $0.outcome == .failed }) { return .partial }
        if allSatisfy({ $0.outcome == .unchanged }) { return .unchanged }
        return allSatisfy { $0.usable == $0.asked } ? .ok : .partial
    }
}

/// A move larger than the limit, from the trusted price to another.
public struct LargeMove: Hashable, Sendable {
    public var market: MarketID
    public var stage: Stage
    /// What was doubted.
    public var price: MarketBoard.Sighting
    /// What it was measured by.
    public var trusted: Price

    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// It waits for the next poll.
        case unconfirmed
        /// A later poll bore it out: its sample is trusted from now on.
        case confirmed
        case rejected
    }

    public init(market: MarketID, stage: Stage, price: MarketBoard.Sighting, trusted: Price) {
        self.market = market
        self.stage = stage
        self.price = price
        self.trusted = trusted
    }
}

/// One recorded price.
public struct Sample: Hashable, Sendable {
    public var market: MarketID
    public var symbol: String
    public var name: String
    public var price: Price
    public var quotedAt: Date
    public var volume24h: Double?
    public var marketCap: Double?
    /// False for a move that is not believed yet: kept, and left out of candles, windows and summaries.
    public var confirmed: Bool

    public init(
        market: MarketID, symbol: String, name: String, price: Price, quotedAt: Date, volume24h: Double? = nil,
        marketCap: Double? = nil, confirmed: Bool = true
    ) {
        self.market = market
        self.symbol = symbol
        self.name = name
        self.price = price
        self.quotedAt = quotedAt
        self.volume24h = volume24h
        self.marketCap = marketCap
        self.confirmed = confirmed
    }
}

/// How a poll ended.
public enum PollOutcome: String, Hashable, Sendable, CaseIterable {
    /// Every watched market got a usable price.
    case ok
    /// Some did.
    case partial
    /// No quote that was not already recorded.
    case unchanged
    /// None did.
    case failed

    /// The provider answered with something that can be relied on.
    public var isUsable: Bool { self != .failed }
}
