import Foundation
import Markets

/// Rebuilds at start what the windows knew, from the recorded past, oldest first.
extension AlertBook {
    /// How far the rules look back on each of these markets; markets that no rule looks back on are left out.
    public func lookbacks(on watched: [MarketID]) -> [MarketID: Duration] {
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
    public static let recalledExactly = Duration.milliseconds(PriceWindows.exactFor)

    /// One recorded hour of a market, in place of its samples; before all polls.
    public mutating func recall(hour start: Date, low: Price, high: Price, of market: MarketID) {
        let number = markets.number(of: market)
        sight.grow(to: markets)
        guard !sight.windows.isEmpty else { return }
        sight.windows.recall(hour: start.milliseconds, low: low, high: high, of: number)
    }

    /// One recorded poll.
    ///
    /// - Parameters:
    ///   - lanes: Whose markets it asked for.
    ///   - interval: The time between two polls that was in force; zero: as configured.
    ///   - samples: What it brought that was new, by the place in `markets`.
    ///   - unknown: The places of the markets of which it had no usable price.
    public mutating func recall(
        poll: Date, lanes: [Lane] = [.shared], interval: Duration = .zero,
        samples: [(market: Int, quotedAt: Date, price: Price)], unknown: [Int], of watched: [MarketID]
    ) {
        let numbers = watched.map { markets.number(of: $0) }
        sight.grow(to: markets)
        sight.recall(
            poll: poll, lanes, interval: interval,
            samples: samples.map { (numbers[$0.market], $0.quotedAt.milliseconds, $0.price) },
            unknown: unknown.map { numbers[$0] })
    }

    /// Prices that were healed later, in their place between the polls.
    public mutating func recall(
        healed samples: [(market: Int, quotedAt: Date, price: Price)], of watched: [MarketID]
    ) {
        let numbers = watched.map { markets.number(of: $0) }
        sight.grow(to: markets)
        sight.windows.recall(healed: samples.map { (numbers[$0.market], $0.quotedAt.milliseconds, $0.price) })
    }
}
