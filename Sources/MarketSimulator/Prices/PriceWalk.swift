public import Markets

/// A seeded random walk: the same seed gives the same price of a market at each step, on every machine.
public struct PriceWalk: Sendable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The price in USD at `step` (0 is the start price), whatever was asked before.
    public func price(of market: SimulatedMarket, step: Int) -> Price {
        let noise = FractalNoise(seed: seed ^ FNV1a.hash(market.id.text), octaves: 16)
        let distance = noise.value(at: Int64(step)) - noise.value(at: 0)
        return FractalNoise.price(market.start, changedBy: distance, volatility: market.volatility)
    }
}
