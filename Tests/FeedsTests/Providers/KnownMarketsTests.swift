import Markets
import Testing

@testable import Feeds

@Suite("Known markets")
struct KnownMarketsTests {
    @Test func aHundredOfThem() {
        #expect(KnownMarkets.all.count >= 100)
        #expect(Set(KnownMarkets.all).count == KnownMarkets.all.count)
    }

    @Test(
        arguments: [
            ("bitcoin", "coinpaprika", "btc-bitcoin"), ("bitcoin", "coinmarketcap", "1"),
            ("bitcoin", "kraken", "XBTUSD"),
            ("dogecoin", "kraken", "XDGUSD"), ("aave", "coinpaprika", "aave-new"), ("solana", "coinmarketcap", "5426"),
            ("leo-token", "kraken", nil), ("no-such-coin", "coinpaprika", nil), ("bitcoin", "binance", nil),
            ("bitcoin", "coingecko", nil),
        ] as [(String, String, String?)])
    func names(_ market: String, _ provider: String, _ name: String?) throws {
        #expect(KnownMarkets.name(of: try MarketID(market), at: provider, in: try Currency("usd")) == name)
    }

    @Test func pairsAgainstTheDollarSayNothingOfTheEuro() throws {
        let euro = try Currency("eur")
        #expect(KnownMarkets.name(of: try MarketID("bitcoin"), at: "kraken", in: euro) == nil)
        #expect(KnownMarkets.name(of: try MarketID("bitcoin"), at: "coinmarketcap", in: euro) == "1")
    }

    @Test(arguments: ["coinpaprika", "coinmarketcap", "kraken"])
    func noNameMeansTwoMarkets(_ provider: String) throws {
        let dollar = try Currency("usd")
        let known = KnownMarkets.all.compactMap { KnownMarkets.name(of: $0, at: provider, in: dollar) }
        #expect(Set(known).count == known.count && known.count > 60)
        for market in KnownMarkets.all {
            guard let name = KnownMarkets.name(of: market, at: provider, in: dollar) else { continue }
            #expect(KnownMarkets.market(called: name, at: provider) == market)
        }
        #expect(KnownMarkets.market(called: "x-unheard-of", at: provider)?.text == "x-unheard-of")
    }
}
