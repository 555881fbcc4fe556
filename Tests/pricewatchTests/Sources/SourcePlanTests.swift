import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// Who is asked for what, as the configuration has it.
@Suite struct SourcePlanTests {
    private static let stocks =
        #"{name: stocks, provider: json, every: 15m, url: "https://example.org/?s={ids}&in={currency}", "#
        + "fields: {id: /i, price: /p}}"

    /// `source: feed(market=name …) …` for each plan.
    private func plans(_ text: String) throws -> [String] {
        try configuration(text).sources.map { plan in
            let members = plan.members.map { member in
                var asked = member.watch.entries.map { "\($0.market)=\($0.providerID)" }
                if member.watch.top > 0 { asked.append("top \(member.watch.top)") }
                return "\(member.feed)(\(asked.joined(separator: " ")))"
            }
            let name = plan.id == .shared ? "shared" : "own"
            return "\(name): \(members.joined(separator: " "))"
        }
    }

    @Test(arguments: [
        ("markets: [bitcoin]", "{provider: coingecko}", ["shared: coingecko(bitcoin=bitcoin)"]),
        (
            "markets: [bitcoin, {id: AAPL, feed: stocks}]", "{provider: coingecko}, \(stocks)",
            ["shared: coingecko(bitcoin=bitcoin)", "own: stocks(AAPL=AAPL)"]
        ),
        // Nothing is asked of the feeds in order of preference.
        ("markets: [{id: AAPL, feed: stocks}]", "{provider: coingecko}, \(stocks)", ["own: stocks(AAPL=AAPL)"]),
        // Where it comes first, it is asked by our ids; elsewhere by the owner's word alone.
        ("markets: [AAPL]", stocks, ["shared: stocks(AAPL=AAPL)"]),
        (
            "markets: [bitcoin, {id: solana, stocks: SOL}]", "{provider: coingecko}, \(stocks)",
            ["shared: coingecko(bitcoin=bitcoin solana=solana) stocks(solana=SOL)"]
        ),
        // What names the preferred feed as its own is asked with the others; a standby has no name for it.
        (
            "markets: [bitcoin, {id: tether, feed: coingecko}]", "{provider: coingecko}, {provider: kraken}",
            ["shared: coingecko(bitcoin=bitcoin tether=tether) kraken(bitcoin=XBTUSD)"]
        ),
        // A feed may stand by and be some market's own.
        (
            "markets: [bitcoin, {id: ethereum, feed: kraken}], top: 5", "{provider: coingecko}, {provider: kraken}",
            [
                "shared: coingecko(bitcoin=bitcoin top 5) kraken(bitcoin=XBTUSD top 5)",
                "own: kraken(ethereum=ETHUSD)",
            ]
        ),
        // Without a name for any of the markets, it does not stand by.
        (
            "markets: [bitcoin, {id: ethereum, feed: binance, binance: ETHUSDT}], top: 5",
            "{provider: coingecko}, {provider: binance}",
            ["shared: coingecko(bitcoin=bitcoin top 5)", "own: binance(ethereum=ETHUSDT)"]
        ),
    ])
    func `each feed is asked for what it is to be asked for`(watch: String, feeds: String, expected: [String]) throws {
        #expect(try plans("watch: {\(watch)}\nfeeds: [\(feeds)]") == expected)
    }

    @Test func `a standby has no name for a market that names the preferred feed as its own`() throws {
        let plan = try configuration(
            """
            watch: {markets: [bitcoin, {id: tether, feed: coingecko}]}
            feeds: [{provider: coingecko}, {provider: kraken}]
            """
        ).sources[0]
        #expect(plan.members.map { $0.unmapped.map(\.text) } == [[], ["tether"]])
    }

    @Test func `a source has the interval of its feed, and its prices age by it`() throws {
        let read = try configuration(
            """
            watch: {markets: [bitcoin, {id: AAPL, feed: stocks}, {id: MSFT, feed: stocks, stale_after: 4d}]}
            feeds: [{provider: coingecko}, \(Self.stocks)]
            """)
        #expect(read.sources.map(\.every) == [.minutes(1), .minutes(15)])
        #expect(read.tick == .minutes(1))
        #expect(
            try ["bitcoin", "AAPL", "MSFT"].map { read.staleness(of: try MarketID($0)).after } == [
                .minutes(15), .minutes(45), .hours(96),
            ])
    }

    @Test func `feed-stale is a rule for each feed, by its own interval`() throws {
        let read = try configuration(
            """
            watch: {markets: [bitcoin, {id: AAPL, feed: stocks}]}
            feeds: [{provider: coingecko}, \(Self.stocks)]
            """)
        let rules = read.alertRules.filter { $0.name == "feed-stale" }
        #expect(
            try rules.map(\.scope) == [
                .feed(MarketID("coingecko")), .feed(MarketID("stocks"), of: .own("stocks")),
            ])
        #expect(rules.map(\.condition) == [.feedStale(.minutes(10)), .feedStale(.minutes(45))])
    }

    @Test func `a feed that is never asked is found`() throws {
        let read = try ConfigurationScene().reading(
            "watch: {markets: [bitcoin]}\nfeeds: [{provider: coingecko}, \(Self.stocks)]")
        let warnings = CheckFindings(read, online: nil, now: Date()).lines.filter { $0.contains("is never asked") }
        #expect(warnings.count == 1 && warnings.first?.contains("stocks: is never asked") == true)
    }
}
