public import Markets

/// A market of the simulation: who it is and where its price starts.
public struct SimulatedMarket: Sendable, Hashable {
    public let id: MarketID
    public let symbol: String
    public let name: String
    /// The price of step 0, in USD.
    public var start: Price
    /// Units in circulation.
    public let supply: Double
    /// Nil where there is no upper limit.
    public let maxSupply: Double?
    /// The size of a step in millionths of the price: 2 for a stablecoin, 300 for bitcoin; at most 500.
    public let volatility: Int

    var startMarketCap: Double { start.double * supply }

    /// The `count` largest markets by market cap: the well-known ones, then `market-41` and so on.
    public static func largest(_ count: Int) -> [SimulatedMarket] {
        let known = wellKnown.sorted { $0.startMarketCap > $1.startMarketCap }
        guard count > known.count, let smallest = known.last else { return Array(known.prefix(max(0, count))) }
        let generated = (known.count + 1...count).compactMap { rank in
            make(rank: rank, marketCap: smallest.startMarketCap * Double(known.count) / Double(rank))
        }
        return known + generated
    }

    /// Prices from 0.000001 to 99.9, spread evenly over the powers of ten, the same for a rank at any seed.
    private static func make(rank: Int, marketCap: Double) -> SimulatedMarket? {
        var random = SplitMix64(seed: UInt64(rank))
        let digits = Int64(100 + random.next() % 900)
        let exponent = -8 + Int(random.next() % 8)
        guard let id = try? MarketID("market-\(rank)"), let start = Price(significand: digits, exponent: exponent)
        else { return nil }
        let supply = (marketCap / start.double).rounded()
        return SimulatedMarket(
            id: id, symbol: "m\(rank)", name: "Market \(rank)", start: start, supply: supply,
            maxSupply: rank % 3 == 0 ? nil : supply * 2,
            volatility: 200 + Int(random.next() % 300))
    }
}
