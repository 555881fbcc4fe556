import Feeds
import Testing

@testable import pricewatch

@Suite struct MarketSearchTests {
    static let coins: [CoinGecko.CoinList.Coin] = [
        .init(id: "unicorn-token", symbol: "UNI", name: "UNICORN Token"),
        .init(id: "uniswap", symbol: "uni", name: "Uniswap"), .init(id: "uni", symbol: "u1", name: "Someone's"),
        .init(id: "universe", symbol: "uv", name: "Universe"), .init(id: "x-uni-x", symbol: "x", name: "X"),
        .init(id: "named", symbol: "n", name: "Uni"), .init(id: "bitcoin", symbol: "btc", name: "Bitcoin"),
    ]

    @Test func `exact id, symbol, name, then beginnings and parts, each by rank`() {
        var search = MarketSearch("Uni", among: Self.coins)
        #expect(Set(search.candidates).count == 6)
        search.rank(["uniswap": 24, "unicorn-token": 3000, "universe": 7])
        #expect(
            search.matches.map(\.id) == ["uni", "uniswap", "unicorn-token", "named", "universe", "x-uni-x"])
        #expect(search.matches.map(\.rank) == [nil, 24, 3000, nil, 7, nil])
    }

    @Test func `all homonyms are there, the rest is cut off`() {
        let homonyms = (0..<400).map { CoinGecko.CoinList.Coin(id: "h\($0)", symbol: "same", name: "H") }
        let others = (0..<400).map { CoinGecko.CoinList.Coin(id: "same-\($0)", symbol: "o", name: "O") }
        var search = MarketSearch("same", among: others + homonyms)
        #expect(search.candidates.count == 250 && search.candidates.allSatisfy { $0.hasPrefix("h") })
        search.rank([:])
        #expect(search.matches.count == 425)
    }

    @Test func `nothing is like it`() { #expect(MarketSearch("zzz", among: Self.coins).matches.isEmpty) }
}
