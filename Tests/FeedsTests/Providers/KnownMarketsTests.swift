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

    @Test(
        arguments: [
            ("bitcoin", "kraken", "eur", "XBTEUR"), ("bitcoin", "kraken", "gbp", "XBTGBP"),
            ("dogecoin", "kraken", "eur", "XDGEUR"), ("tron", "kraken", "eur", "TRXEUR"),
            ("tron", "kraken", "gbp", nil), ("bitcoin", "kraken", "jpy", nil), ("decred", "kraken", "eur", nil),
            ("bitcoin", "coinmarketcap", "eur", "1"), ("bitcoin", "coinpaprika", "jpy", "btc-bitcoin"),
        ] as [(String, String, String, String?)])
    func aPairIsOfOneCurrency(_ market: String, _ provider: String, _ currency: String, _ name: String?) throws {
        #expect(KnownMarkets.name(of: try MarketID(market), at: provider, in: try Currency(currency)) == name)
    }

    @Test(arguments: [
        ("coinpaprika", "usd", 90), ("coinmarketcap", "usd", 100), ("kraken", "usd", 90), ("kraken", "eur", 85),
        ("kraken", "gbp", 15),
    ])
    func noNameMeansTwoMarkets(_ provider: String, _ currency: String, _ least: Int) throws {
        let currency = try Currency(currency)
        let known = KnownMarkets.all.compactMap { KnownMarkets.name(of: $0, at: provider, in: currency) }
        #expect(Set(known).count == known.count && known.count > least)
        for market in KnownMarkets.all {
            guard let name = KnownMarkets.name(of: market, at: provider, in: currency) else { continue }
            #expect(KnownMarkets.market(called: name, at: provider) == market)
        }
        #expect(KnownMarkets.market(called: "x-unheard-of", at: provider)?.text == "x-unheard-of")
    }
}
