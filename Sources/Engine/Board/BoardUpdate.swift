import Foundation
import Markets

/// What is new in one answer.
package struct BoardUpdate: Sendable {
    package var outcome = PollOutcome.failed
    /// The new quotes, to be recorded.
    package var samples: [Sample] = []
    /// Watched markets without a price in this poll, or whose price is not the provider's latest, and why.
    package var unknown: [(market: MarketID, reason: UnknownReason)] = []
    /// How many watched markets the feed was asked for.
    package var asked = 0
    /// How many of them got a usable price.
    package var usable = 0
    /// Large moves: new ones, and those that this answer decided.
    package var moves: [LargeMove] = []

    package init() {}

    mutating func settle() {
        outcome =
            usable == 0 ? .failed : samples.isEmpty ? .unchanged : usable == asked ? .ok : .partial
    }
}

extension [BoardUpdate] {
    /// The outcome of a cycle that polled several sources.
    package var outcome: PollOutcome {
        guard contains(where: { $0.outcome != .failed }) else { return .failed }
        if contains(where: { $0.outcome == .failed }) { return .partial }
        if allSatisfy({ $0.outcome == .unchanged }) { return .unchanged }
        return allSatisfy { $0.usable == $0.asked } ? .ok : .partial
    }
}

/// A move larger than the limit, from the trusted price to another.
package struct LargeMove: Hashable, Sendable {
    package var market: MarketID
    package var stage: Stage
    /// The price that moved too far.
    package var price: MarketBoard.PriceSample
    /// The trusted price that it was compared with.
    package var trusted: Price

    package enum Stage: String, Hashable, Sendable, CaseIterable {
        /// It waits for the next poll.
        case unconfirmed
        /// A later poll confirmed it: its sample is trusted from now on.
        case confirmed
        case rejected
    }

    package init(market: MarketID, stage: Stage, price: MarketBoard.PriceSample, trusted: Price) {
        self.market = market
        self.stage = stage
        self.price = price
        self.trusted = trusted
    }
}

/// One recorded price.
package struct Sample: Hashable, Sendable {
    package var market: MarketID
    package var symbol: String
    package var name: String
    package var price: Price
    package var quotedAt: Date
    package var volume24h: Double?
    package var marketCap: Double?
    /// False for an unconfirmed large move: stored, but excluded from candles, windows and summaries.
    package var confirmed: Bool

    package init(
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
package enum PollOutcome: String, Hashable, Sendable, CaseIterable {
    /// Every watched market got a usable price.
    case ok
    /// Some watched markets did.
    case partial
    /// Every quote was already recorded.
    case unchanged
    /// No watched market got a usable price.
    case failed

    /// The provider returned a usable price.
    package var isUsable: Bool { self != .failed }
}
