import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// Which currency a market has, and which feeds may stand in for another.
@Suite struct CurrencyTests {
    private static let stocks =
        #"{name: stocks, provider: json, url: "https://a/{id}", fields: {price: /p}, currency: usd}"#

    @Test func `a market has the currency of its feed`() throws {
        let configuration = try configuration(
            """
            currency: eur
            feeds: [{provider: coingecko}, \(Self.stocks), {provider: kraken}]
            watch: {markets: [bitcoin, {id: AAPL, feed: stocks}], top: 20}
            """)
        let currencies = configuration.currencies
        let names = try ["bitcoin", "AAPL", "ranked"].map { currencies[try MarketID($0)].code }
        #expect(names == ["eur", "usd", "eur"])
        let members = configuration.sources.flatMap(\.members).map { "\($0.feed) \($0.watch.currency)" }
        #expect(members == ["coingecko eur", "kraken eur", "stocks usd"])
        #expect(Settings(configuration, host: "").watchlist.currencies == currencies)
    }

    @Test func `a first feed with a currency of its own is the usual one`() throws {
        let configuration = try configuration(
            "currency: eur\nfeeds: [\(Self.stocks)]\nwatch: {markets: [AAPL, {id: MSFT, feed: stocks}]}")
        #expect(configuration.currencies == MarketCurrencies(.usd))
        #expect(configuration.sources.map(\.members[0].watch.currency) == [.usd])
    }

    @Test func `a URL with a place for the currency is asked in the stated one`() throws {
        let configuration = try configuration(
            """
            currency: eur
            feeds: [{provider: coingecko},
                    {name: j, provider: json, url: "https://a/{id}/{currency}", fields: {price: /p}, currency: usd}]
            watch: {markets: [bitcoin, {id: AAPL, feed: j}]}
            """)
        #expect(configuration.sources.map(\.members[0].watch.currency.code) == ["eur", "usd"])
    }

    @Test(arguments: [
        // An id at the feed makes it a standby: by the feed's name, and by the provider's.
        (
            "feeds: [{provider: coingecko}, STOCKS]\nwatch: {markets: [bitcoin, {id: solana, stocks: SOL}]}",
            "2:117: feeds[1].currency: usd is not eur: stocks cannot stand in for coingecko with the price of solana (say "
                + "{id: solana, feed: stocks}, which asks that feed alone, or ask its server for eur)"
        ),
        (
            "feeds: [{provider: coingecko}, {provider: kraken}, STOCKS]\nwatch: {markets: [{id: solana, json: SOL}]}",
            "2:137: feeds[2].currency: usd is not eur: stocks cannot stand in for coingecko with the price of solana (say "
                + "{id: solana, feed: stocks}, which asks that feed alone, or ask its server for eur)"
        ),
        (
            "feeds: [STOCKS, {provider: coingecko}]\nwatch: {markets: [AAPL]}",
            "2:94: feeds[0].currency: usd is not eur: coingecko cannot stand in for stocks with the price of AAPL (say "
                + "{id: AAPL, feed: stocks}, which asks that feed alone, or ask its server for eur)"
        ),
    ])
    func `a standby in another currency is refused`(text: String, fault: String) throws {
        let text = "currency: eur\n" + text.replacing("STOCKS", with: Self.stocks)
        #expect(try ConfigurationScene().faults(text) == ["p.yaml:" + fault])
    }

    @Test(arguments: [
        "feeds: [{provider: coingecko}, STOCKS]\nwatch: {markets: [bitcoin, {id: solana, feed: stocks, stocks: SOL}]}",
        "feeds: [STOCKS, {provider: coingecko}]\nwatch: {markets: [{id: AAPL, feed: stocks}, {id: bitcoin, feed: coingecko}]}",
        "feeds: [{provider: coingecko}, STOCKS, {name: other, provider: json, url: \"https://b/{id}\", "
            + "fields: {price: /p}, currency: eur}]\nwatch: {markets: [{id: bitcoin, other: XBT}, {id: AAPL, feed: stocks}]}",
    ])
    func `feeds that never serve the same market may differ`(text: String) throws {
        let text = "currency: eur\n" + text.replacing("STOCKS", with: Self.stocks)
        #expect(try ConfigurationScene().faults(text) == [])
    }
}
