public import Foundation
public import Markets

/// The simulated past: one price for every minute of absolute time, the same whenever it is asked for.
///
/// It moves around the market's start price, so that a walk that begins there follows on without a leap.
public struct PriceSeries: Sendable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The price in USD in the minute of `time`.
    public func price(of market: SimulatedMarket, at time: Date) -> Price {
        // The walk's seed, turned, so that the past is not a copy of the first steps.
        let noise = FractalNoise(seed: ~seed ^ FNV1a.hash(market.id.text), octaves: 12)
        let minute = Int64((time.timeIntervalSince1970 / 60).rounded(.down))
        return FractalNoise.price(market.start, changedBy: noise.value(at: minute), volatility: market.volatility)
    }
}
