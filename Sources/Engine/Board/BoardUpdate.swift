import Foundation
import Markets

/// What is new in one answer.
package struct BoardUpdate: Sendable {
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

    package var outcome: PollOutcome {
        // The value of a portfolio is no news of the provider's.
        let isUnchanged = !samples.contains { $0.amounts == nil }
        return usable == 0 ? .failed : isUnchanged ? .unchanged : usable == asked ? .ok : .partial
    }
}

extension [BoardUpdate] {
    /// The outcome of a cycle that polled several sources.
    var outcome: PollOutcome {
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
    package var confirmed = true
    /// Of a portfolio; see `Portfolio.amounts`. Nil: the price is a provider's.
    package var amounts: String?
}

extension Sample {
    package init(market: MarketID, symbol: String, name: String, price: Price, quotedAt: Date) {
        self.init(market: market, symbol: symbol, name: name, price: price, quotedAt: quotedAt, confirmed: true)
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

extension MarketBoard {
    /// A price with its times and its source.
    package struct PriceSample: Hashable, Sendable {
        package var price: Price
        package var quotedAt: Date
        package var fetchedAt: Date
        package var feed: String
        package var reportedChange: Percent?

        package init(price: Price, quotedAt: Date, fetchedAt: Date, feed: String, reportedChange: Percent? = nil) {
            self.price = price
            self.quotedAt = quotedAt
            self.fetchedAt = fetchedAt
            self.feed = feed
            self.reportedChange = reportedChange
        }
    }
}

/// Whether the newest price of a market is trusted, or moved too far at once and waits for confirmation.
package enum MoveConfirmation: Hashable, Sendable {
    /// The newest price is trusted.
    case settled
    /// The candidate waits for the next poll. `polls` is the number of consecutive polls, its own included, with a
    /// price too far from the trusted one.
    indirect case waiting(candidate: MarketBoard.PriceSample, polls: Int)

    /// After this many consecutive polls that disagree with the trusted price, the newest price is trusted.
    package static let patience = 3

    package var candidate: MarketBoard.PriceSample? {
        if case .waiting(let candidate, _) = self { candidate } else { nil }
    }

    /// Restores from the history, newest first, an unconfirmed price after the trusted one.
    package mutating func recall(_ earlier: MarketBoard.PriceSample) {
        switch self {
        case .settled: self = .waiting(candidate: earlier, polls: 1)
        case .waiting(let candidate, let polls): self = .waiting(candidate: candidate, polls: polls + 1)
        }
    }
}

extension Price {
    /// False if it is equally near to both.
    func isNearer(to one: Price, than other: Price) -> Bool {
        let (double, middle) = (decimal * 2, one.decimal + other.decimal)
        return one > other ? double > middle : double < middle
    }
}
