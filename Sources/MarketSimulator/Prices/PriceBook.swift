internal import Foundation
internal import Markets

/// Which markets there are, and what each costs at a step and at a moment of the past, in USD.
struct PriceBook: Sendable {
    /// By market cap, largest first; scripted markets that nobody knows stand at the end.
    let markets: [SimulatedMarket]
    private let ranks: [MarketID: Int]
    private let script: [MarketID: [Price]]
    private let walk: PriceWalk
    private let series: PriceSeries

    init(seed: UInt64, count: Int, script: [MarketID: [Price]]) {
        let script = script.filter { !$0.value.isEmpty }
        var markets = SimulatedMarket.largest(count)
        let listed = Set(markets.map(\.id))
        for (id, prices) in script.sorted(by: { $0.key < $1.key }) where !listed.contains(id) {
            markets.append(SimulatedMarket(unlisted: id, start: prices[0]))
        }
        for index in markets.indices {
            // The past leads to where the script begins.
            if let first = script[markets[index].id]?.first { markets[index].start = first }
        }
        self.markets = markets
        self.script = script
        ranks = Dictionary(uniqueKeysWithValues: markets.enumerated().map { ($1.id, $0 + 1) })
        walk = PriceWalk(seed: seed)
        series = PriceSeries(seed: seed)
    }

    /// 1 for the largest; nil where there is no such market.
    func rank(of id: MarketID) -> Int? { ranks[id] }

    func price(of market: SimulatedMarket, step: Int) -> Price {
        if let path = script[market.id] { return path[step % path.count] }
        return walk.price(of: market, step: step)
    }

    func price(of market: SimulatedMarket, at time: Date) -> Price { series.price(of: market, at: time) }
}

extension SimulatedMarket {
    fileprivate init(unlisted id: MarketID, start: Price) {
        self.init(
            id: id, symbol: id.text.lowercased(), name: id.text, start: start, supply: (1e6 / start.double).rounded(),
            maxSupply: nil, volatility: 200)
    }
}
