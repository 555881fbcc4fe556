public import Foundation

/// Rebuilds at start what the windows knew, from the recorded past, oldest first.
extension AlertBook {
    /// How far the windows look back; nil: no rule asks of the past.
    public var lookback: Duration? { sight.windows.lengths.last.map { .milliseconds($0) } }

    /// One recorded poll.
    ///
    /// - Parameters:
    ///   - samples: What it brought that was new, by the place in `markets`.
    ///   - unknown: The places of the markets of which it had no usable price.
    public mutating func recall(
        poll: Date, samples: [(market: Int, quotedAt: Date, price: Price)], unknown: [Int], of watched: [MarketID]
    ) {
        let numbers = watched.map { markets.number(of: $0) }
        sight.grow(to: markets.ids.count)
        sight.windows.recall(
            poll: poll.milliseconds, samples: samples.map { (numbers[$0.market], $0.quotedAt.milliseconds, $0.price) },
            unknown: unknown.map { numbers[$0] })
    }
}
