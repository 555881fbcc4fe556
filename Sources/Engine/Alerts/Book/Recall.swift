import Foundation
import Markets

/// Rebuilds the windows at start from the recorded past, oldest first.
extension AlertBook {
    /// How far the rules look back on each of these markets; markets that no rule looks back on are left out.
    package func lookbacks(on watched: [MarketID]) -> [MarketID: Duration] {
        var longest: [MarketID: Duration] = [:]
        for rule in rules where rule.enabled {
            guard let window = rule.condition.window else { continue }
            for market in watched where window > longest[market] ?? .zero && rule.scope.covers(market) {
                longest[market] = window
            }
        }
        return longest
    }

    /// Beyond this age, the past may be recalled by the hour.
    package static let recalledExactly = Duration.milliseconds(PriceWindows.exactFor)

    /// Adds a recorded hour of a market in place of its samples; called before any poll is added.
    package mutating func recall(hour start: Date, low: Price, high: Price, of market: MarketID) {
        let number = markets.number(of: market)
        evaluationPrices.grow(to: markets)
        guard !evaluationPrices.windows.isEmpty else { return }
        evaluationPrices.windows.recall(hour: start.milliseconds, low: low, high: high, of: number)
    }

    /// Adds a recorded poll.
    ///
    /// - Parameters:
    ///   - sources: the sources that it polled.
    ///   - interval: the poll interval in force; zero: as configured.
    ///   - samples: its new prices, by the place in `watched`.
    ///   - unknown: the places of the markets without a usable price.
    package mutating func recall(
        poll: Date, sources: [SourceID] = [.shared], interval: Duration = .zero,
        samples: [(market: Int, quotedAt: Date, price: Price)], unknown: [Int], of watched: [MarketID]
    ) {
        let numbers = watched.map { markets.number(of: $0) }
        evaluationPrices.grow(to: markets)
        evaluationPrices.recall(
            poll: poll, sources, interval: interval,
            samples: samples.map { (numbers[$0.market], $0.quotedAt.milliseconds, $0.price) },
            unknown: unknown.map { numbers[$0] })
    }

    /// Adds backfilled prices, in chronological order with the polls.
    package mutating func recall(
        backfilled samples: [(market: Int, quotedAt: Date, price: Price)], of watched: [MarketID]
    ) {
        let numbers = watched.map { markets.number(of: $0) }
        evaluationPrices.grow(to: markets)
        evaluationPrices.windows.recall(
            backfilled: samples.map { (numbers[$0.market], $0.quotedAt.milliseconds, $0.price) })
    }
}
