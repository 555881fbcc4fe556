import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// A share in dollars beside a coin in euros, through the whole daemon.
@Suite struct TwoCurrenciesTests {
    private static let rules = """
        currency: eur
        builtin_alerts: false
        notify: {ops: {webhook: "https://example.org/hook"}}
        alerts:
          - {name: high, market: AAPL, above: 200}
          - {name: coin, market: bitcoin, above: 1}
          - {name: drop, markets: all, falls: 5%, within: 1h}

        """

    private func sources(_ prices: [String]) throws -> (SourceScene, ScriptedChannel) {
        let sources = try SourceScene(Self.rules, prices: prices, feed: "every: 1m")
        let channel = ScriptedChannel("ops")
        sources.scene.channels = { _ in channel }
        return (sources, channel)
    }

    /// Every event with its currency and price.
    private func events(_ sources: SourceScene) throws -> [String] {
        try HistoryReader(at: sources.scene.database).events(since: .distantPast).map {
            let price = $0.price?.description ?? "none"
            return "\($0.rule) \($0.market) \($0.kind.rawValue) \($0.reason.rawValue) \(price) \($0.currency)"
        }
    }

    private func prices(_ sources: SourceScene, _ market: String, _ currency: Currency) throws -> [String] {
        var prices: [String] = []
        try HistoryReader(at: sources.scene.database)
            .samples(of: try MarketID(market), in: currency, since: nil, until: nil) {
                prices.append($0.price.description)
            }
        return prices
    }

    /// What the daemon reloads: the feed of AAPL quotes in another currency.
    private func changeCurrency(_ sources: SourceScene, _ from: String, to code: String) async throws {
        let path = sources.scene.files.folder + "/etc/p.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try sources.scene.files.write(
            text.replacing("currency: \(from)}", with: "currency: \(code)}"), to: "etc/p.yaml")
        await sources.scene.daemon?.hangUp()
        await sources.scene.daemon?.drain()
    }

    private func market(_ sources: SourceScene, _ id: String) throws -> String {
        let market = try #require(try sources.market(id))
        return "\(market.price?.description ?? "none") \(market.currency) \(market.state.rawValue)"
    }

    @Test("each market is recorded, shown and alerted on in its own")
    func both() async throws {
        let (sources, channel) = try sources(["232.38"])
        try await sources.scene.start()
        await sources.scene.poll(2)
        #expect(try market(sources, "AAPL") == "232.38 usd fresh")
        #expect(try market(sources, "bitcoin") == "70001 eur fresh")
        #expect(try prices(sources, "AAPL", .usd) == ["232.38", "232.38"])
        #expect(try prices(sources, "AAPL", Currency("eur")) == [])
        #expect(try prices(sources, "bitcoin", Currency("eur")).first == "70000")
        #expect(try prices(sources, "bitcoin", .usd) == [])
        #expect(
            try Set(events(sources)) == [
                "high AAPL firing first_firing 232.38 usd", "coin bitcoin firing first_firing 70000 eur",
            ])
        // Whichever answers first is announced first.
        let texts = channel.delivered.map {
            ([MessageText($0).headline] + MessageText($0).lines).joined(separator: "\n")
        }
        for price in ["232.38 usd", "70,000 eur"] { #expect(texts.contains { $0.contains(price) }, "\(texts)") }
        let metrics = try sources.status().metrics(polls: [:], expiresAt: nil)
        #expect(metrics.contains("pricewatch_price{market=\"AAPL\",currency=\"usd\"} 232.38\n"))
        #expect(metrics.contains("pricewatch_price{market=\"bitcoin\",currency=\"eur\"} 70001\n"))
        await sources.scene.stop()
    }

    @Test("the summary and the digest count the moves of both")
    func summary() async throws {
        let (sources, _) = try sources(["232.38", "244"])
        try await sources.scene.start()
        await sources.scene.poll()
        sources.scene.time.step(.hours(24) - .minutes(1))
        await sources.scene.poll()
        let summary = try sources.status().summary
        #expect(summary.up + summary.down + summary.flat == 2 && summary.unknown == 0)
        #expect(summary.gainers.first.map { "\($0.market) \($0.change)" } == "AAPL 5")
        #expect(try #require(sources.scene.log("summary.24h").last).contains("AAPL +5 %"))
        await sources.scene.stop()
    }

    @Test("a restart goes on with both and says nothing again")
    func restart() async throws {
        let (sources, channel) = try sources(["232.38"])
        try await sources.scene.start()
        await sources.scene.poll(2)
        await sources.scene.stop()
        let before = try events(sources)
        try await sources.scene.start()
        let daemon = try #require(sources.scene.daemon)
        let known = await daemon.engine.board.entries.map { "\($0.shown?.price.description ?? "none") \($0.currency)" }
        #expect(known == ["70001 eur", "232.38 usd"])
        await sources.scene.poll(2)
        #expect(try events(sources) == before)
        #expect(channel.delivered.flatMap(\.events).count == 2)
        await sources.scene.stop()
    }

    @Test("a reload that changes the currency starts a new series and ends what fired in the old one, once")
    func reload() async throws {
        let (sources, _) = try sources(["232.38", "231", "180", "171.5"])
        try await sources.scene.start()
        await sources.scene.poll(2)
        try await changeCurrency(sources, "usd", to: "gbp")
        // Nothing is known in the new currency, and what was known in the old one is no price of it.
        #expect(try market(sources, "AAPL") == "none gbp unknown")
        #expect(try market(sources, "bitcoin") == "70001 eur fresh")
        await sources.scene.poll()
        #expect(try market(sources, "AAPL") == "180 gbp fresh")
        await sources.scene.poll()
        let gbp = try Currency("gbp")
        #expect(try prices(sources, "AAPL", .usd) == ["232.38", "231"])
        #expect(try prices(sources, "AAPL", gbp) == ["180", "171.5"])
        // From 231 dollars to 180 pounds is no fall, and 4.7 % are not enough.
        #expect(
            try events(sources).dropFirst(2).map { $0.split(separator: " ").filter { $0 != "180" && $0 != "none" } }
                == [["high", "AAPL", "resolved", "edited", "gbp"]])
        await sources.scene.stop()
    }

    @Test("back in the old currency, its history and its last price are known again")
    func back() async throws {
        let (sources, _) = try sources(["150", "151", "149"])
        try await sources.scene.start()
        await sources.scene.poll()
        try await changeCurrency(sources, "usd", to: "gbp")
        await sources.scene.poll()
        try await changeCurrency(sources, "gbp", to: "usd")
        #expect(try market(sources, "AAPL") == "150 usd fresh")
        await sources.scene.poll()
        #expect(try market(sources, "AAPL") == "149 usd fresh")
        #expect(try prices(sources, "AAPL", .usd) == ["150", "149"])
        await sources.scene.stop()
    }
}
