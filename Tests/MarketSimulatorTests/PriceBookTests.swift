import Foundation
import Markets
import Testing

@testable import MarketSimulator

@Suite struct PriceBookTests {
    private func market(_ id: MarketID) throws -> SimulatedMarket {
        try #require(SimulatedMarket.largest(100).first { $0.id == id })
    }

    @Test func beginsAtTheStartPrice() throws {
        let book = PriceBook(seed: 7, count: 100)
        for market in book.markets {
            #expect(book.price(of: market, step: 0) == market.start)
        }
    }

    /// Other values here would mean that a seed no longer gives the same prices as in an earlier release.
    @Test(arguments: [(1, "77126.1081572929"), (2, "77129.35631586263"), (1000, "77248.24774056955")])
    func aSeedGivesTheSamePricesOnEveryMachine(step: Int, text: String) throws {
        #expect(PriceBook(seed: 42, count: 0).price(of: try market(bitcoin), step: step).description == text)
    }

    @Test func seedsAndMarketsDiffer() throws {
        let bitcoin = try market(bitcoin)
        let seeds = (0..<50).map { PriceBook(seed: $0, count: 0).price(of: bitcoin, step: 9) }
        #expect(Set(seeds).count == 50)
        let changes = SimulatedMarket.largest(50).map {
            PriceBook(seed: 1, count: 0).price(of: $0, step: 9).double / $0.start.double
        }
        #expect(Set(changes).count == 50)
    }

    @Test func staysNearItsLastStepAndWithinItsBand() throws {
        let book = PriceBook(seed: 3, count: 60)
        for market in book.markets {
            let prices = (0..<3000).map { book.price(of: market, step: $0).double }
            for (before, after) in zip(prices, prices.dropFirst()) {
                #expect(abs(after / before - 1) < 0.02)
            }
            #expect(prices.allSatisfy { abs($0 / market.start.double - 1) < 0.95 })
            #expect(Set(prices).count > 2900)
        }
    }

    @Test func aStablecoinHardlyMoves() throws {
        let tether = try market(tether)
        let book = PriceBook(seed: 5, count: 0)
        for step in stride(from: 0, to: 100_000, by: 997) {
            let price = book.price(of: tether, step: step).double
            #expect(abs(price - 1) < 0.006)
        }
    }

    @Test func thePastIsTheSameWheneverAsked() throws {
        let bitcoin = try market(bitcoin)
        let time = Date(milliseconds: 1_795_000_000_000)
        let book = PriceBook(seed: 1, count: 0)
        let price = book.price(of: bitcoin, at: time)
        #expect(book.price(of: bitcoin, at: time + .milliseconds(1)) == price)
        #expect(book.price(of: bitcoin, at: time + .minutes(1)) != price)
        #expect(abs(price.double / bitcoin.start.double - 1) < 0.1)
    }
}

@Suite struct SimulatedMarketTests {
    @Test(arguments: [0, 1, 20, 21, 250, 20_000]) func thereAreAsManyAsAsked(count: Int) {
        let markets = SimulatedMarket.largest(count)
        #expect(markets.count == count)
        #expect(Set(markets.map(\.id)).count == count)
    }

    @Test func theyAreOrderedBySize() {
        let caps = SimulatedMarket.largest(500).map { $0.start.double * $0.supply }
        #expect(zip(caps, caps.dropFirst()).allSatisfy { $0 >= $1 * 0.999 })
    }

    @Test func theWellKnownComeFirst() {
        let ids = SimulatedMarket.largest(22).map(\.id.text)
        #expect(ids.prefix(3) == ["bitcoin", "ethereum", "tether"])
        #expect(ids.suffix(2) == ["market-21", "market-22"])
        #expect(SimulatedMarket.largest(20).contains { $0.start < price("2e-9") })
    }
}
