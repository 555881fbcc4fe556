import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// `holds` and `cost`, and what is refused of them.
@Suite struct PortfolioConfigurationTests {
    @Test(arguments: [
        (
            "holds: {bitcoin: 0.5, ethereum: abc}",
            "watch.markets[0].holds.ethereum: expected an amount such as 0.5, found \"abc\""
        ),
        ("holds: {bitcoin: 0}", "watch.markets[0].holds.bitcoin: must be above 0, from 1e-18 to 1e18"),
        (
            "holds: {bitcoin: -1}",
            "watch.markets[0].holds.bitcoin: must be above 0; what is owed is no holding: leave it out"
        ),
        (
            "holds: {bitcoin: \"60,000\"}",
            "watch.markets[0].holds.bitcoin: expected an amount such as 0.5, found \"60,000\": a number with a comma; "
                + "write 60000"
        ),
        (
            "holds: {bitcoin: \"0,5\"}",
            "watch.markets[0].holds.bitcoin: expected an amount such as 0.5, found \"0,5\": a number with a comma; "
                + "write 0.5"
        ),
        (
            "holds: {bitcoin: 0,5}",
            "watch.markets[0].holds.bitcoin: expected an amount such as 0.5, found \"0,5\": a number with a comma; "
                + "write 0.5"
        ),
        (
            "holds: {bitcoin: 05}",
            "watch.markets[0].holds.bitcoin: must not begin with 0 and a digit: a point follows the 0, as in 0.5"
        ),
        (
            "holds: {bitcoin: 60,000}",
            "watch.markets[0].holds.bitcoin: expected an amount such as 0.5, found \"60,000\": a number with a comma; "
                + "write 60000"
        ),
        (
            "holds: {bitcoin: 1.2345678901234567890}",
            "watch.markets[0].holds.bitcoin: must not have more than 18 digits"
        ),
        ("holds: {bitcoin: 1e19}", "watch.markets[0].holds.bitcoin: must be above 0, from 1e-18 to 1e18"),
        ("holds: {bitcoin: }", "watch.markets[0].holds.bitcoin: expected an amount such as 0.5, found nothing"),
        ("holds: {\"a,b\": 1}", "watch.markets[0].holds.a,b: a market id must not hold a comma"),
        ("holds: {}", "watch.markets[0].holds: is empty; say what is held, such as holds: {bitcoin: 0.5}"),
        ("holds: null", "watch.markets[0].holds: is empty; say what is held, such as holds: {bitcoin: 0.5}"),
        ("holds: [bitcoin]", "watch.markets[0].holds: expected a mapping, found a list"),
        ("holds: {savings: 1}", "watch.markets[0].holds.savings: a portfolio cannot hold itself"),
        ("holds: {other: 1}", "watch.markets[0].holds.other: other is a portfolio, too: list here what it holds"),
        (
            "holds: {bitcoin: 1, AAPL: 2}",
            "watch.markets[0].holds.AAPL: AAPL is in usd, and bitcoin in eur: a portfolio has one currency, so make one "
                + "for each"
        ),
        (
            "holds: {bitcoin: 1}, feed: coingecko",
            "watch.markets[0].feed: belongs to a market that a feed is asked for; leave it out beside holds"
        ),
        (
            "holds: {bitcoin: 1}, binance: X, stale_after: 1h",
            "watch.markets[0].binance: belongs to a market that a feed is asked for; leave it out beside holds"
        ),
        ("holds: {bitcoin: 1}, hold: 2", "watch.markets[0].hold: unknown key; did you mean watch.markets[0].holds?"),
        (
            "cost: 25000",
            "watch.markets[0].cost: belongs to a portfolio, such as {id: savings, holds: {bitcoin: 0.5}, cost: 25000}"
        ),
        (
            "holds: {bitcoin: 1}, cost: \"25,000\"",
            "watch.markets[0].cost: expected a number such as 25000, found \"25,000\": a number with a comma; write 25000"
        ),
        ("holds: {bitcoin: 1}, cost: -5", "watch.markets[0].cost: must not be below 0"),
        ("holds: {bitcoin: 1}, cost: much", "watch.markets[0].cost: expected a number such as 25000, found \"much\""),
    ])
    func refused(portfolio: String, fault: String) throws {
        let text = """
            currency: eur
            watch:
              markets:
                - {id: savings, \(portfolio)}
                - {id: other, holds: {ethereum: 1}}
                - {id: AAPL, feed: stocks}
            feeds:
              - {provider: coingecko}
              - {name: stocks, provider: json, url: "https://prices.example.com/{id}", fields: {price: /p}, currency: usd}
            """
        let faults = try ConfigurationScene().faults(text)
        let first = try #require(faults.first)
        #expect(first.hasPrefix("p.yaml:4:") && first.contains(": \(fault)"), "\(faults)")
        #expect(faults.count == (portfolio.contains("stale_after") ? 2 : 1), "\(faults)")
    }

    private func settings(_ text: String) throws -> Settings { Settings(try configuration(text), host: "") }

    @Test("its parts are watched, it is asked of no feed, and has neither built-in alerts nor a limit for moves")
    func watched() throws {
        let settings = try settings(
            """
            watch: {markets: [{id: savings, holds: {ethereum: 3, bitcoin: 0.5}, cost: 0}, tether], top: 5}
            alerts: [{name: a, market: solana, above: 1}, {name: b, market: savings, above: 1}]
            """)
        let named = settings.watchlist.named.map(\.market.text)
        #expect(named == ["savings", "tether", "bitcoin", "ethereum", "solana"])
        let asked = settings.sources.flatMap(\.members).flatMap(\.watch.entries).map(\.market.text)
        #expect(asked == ["tether", "bitcoin", "ethereum", "solana"])
        let item = try #require(settings.watchlist.named.first)
        #expect(item.portfolio?.amounts == "0.5 bitcoin, 3 ethereum" && item.portfolio?.cost == 0)
        for rule in settings.rules where rule.name.hasPrefix("market-") {
            #expect(rule.scope == .markets(try asked.map { try MarketID($0) }))
        }
    }

    @Test("it is polled with the part that is polled most often, and has the currency of its parts")
    func source() throws {
        let stocks = """
            feeds:
              - {provider: coingecko, url: "https://example.com/api"}
              - {name: stocks, provider: json, every: 15m, url: "https://prices.example.com/{id}", fields: {price: /p}, currency: eur}
              - {name: funds, provider: json, every: 5m, url: "https://funds.example.com/{id}", fields: {price: /p}, currency: eur}
            """
        let apart = try settings(
            """
            watch:
              markets: [bitcoin, {id: A, feed: stocks}, {id: B, feed: funds}, {id: both, holds: {A: 1, B: 1}}]
            \(stocks)
            """)
        let item = try #require(apart.watchlist.named.last)
        #expect(item.market.text == "both" && item.source == .own("funds"))
        #expect(apart.watchlist.currencies[item.market].code == "eur")
        // With a standby in its place, none of them is shared.
        let alone = try settings("watch: {markets: [{id: A, feed: stocks}, {id: both, holds: {A: 1}}]}\n\(stocks)")
        #expect(alone.sources.map(\.id) == [.own("stocks")])
        #expect(alone.watchlist.named.last?.source == .own("stocks"))
        let mixed = try settings(
            "currency: eur\nwatch: {markets: [{id: A, feed: stocks}, {id: both, holds: {bitcoin: 1, A: 1}}]}\n\(stocks)"
        )
        #expect(mixed.watchlist.named.first { $0.market.text == "both" }?.source == .shared)
    }

    @Test(
        "check lists each market once, with its currency",
        arguments: [
            ("[bitcoin, A, {id: B, feed: own}]", "3 named: bitcoin, A, in eur, and B in usd"),
            ("[{id: A, feed: own}, {id: B, feed: own}], top: 5", "2 named: the 5 largest, in eur, and A, B in usd"),
            ("[{id: A, feed: own}, {id: B, feed: own}]", "2 named: A, B"),
            ("[bitcoin], top: 5", "1 named: bitcoin, and the 5 largest, in eur"),
        ])
    func watches(markets: String, expected: String) throws {
        let text = """
            currency: eur
            watch: {markets: \(markets)}
            feeds:
              - {provider: coingecko}
              - {name: own, provider: json, url: "https://prices.example.com/{id}", fields: {price: /p}, currency: usd}
            """
        let findings = CheckFindings(try ConfigurationScene().reading(text), online: nil, now: ChartScene.moment(0))
        let line = try #require(findings.lines.first { $0.hasPrefix("watches:") })
        #expect(line.hasPrefix("watches:       \(expected)"), "\(line)")
    }

    @Test("check prints what it holds")
    func check() throws {
        let text = "watch: {markets: [bitcoin, {id: savings, holds: {ethereum: 3, bitcoin: 0.50}, cost: 25000.5}]}"
        let findings = CheckFindings(try ConfigurationScene().reading(text), online: nil, now: ChartScene.moment(0))
        #expect(findings.lines.contains("portfolio:     savings: 0.5 bitcoin, 3 ethereum, in usd; cost 25000.5 usd"))
        #expect(
            findings.json.contains(
                #""portfolios":[{"market":"savings","currency":"usd","holds":[{"market":"bitcoin","amount":"0.5"},"#
                    + #"{"market":"ethereum","amount":"3"}],"cost":"25000.5"}]"#))
    }
}
