import Foundation
import History
import Markets
import Testing

@testable import Engine

/// `pricewatch rehearse` as a user runs it.
@Suite struct RehearseTests {
    private func installation(_ prices: [Int] = [10, 20, 9]) throws -> Installation {
        let installation = try Installation(
            url: "http://127.0.0.1:9", more: "alerts: [{name: btc-high, market: bitcoin, above: 15}]")
        let writer = try HistoryWriter(at: installation.folder.path + "/history.db")
        for (second, price) in prices.enumerated() {
            let at = Date(milliseconds: Date().milliseconds - 60_000 + Int64(second) * 1000)
            let sample = Sample(
                market: try MarketID("bitcoin"), symbol: "btc", name: "Bitcoin",
                price: try #require(Price(parsing: "\(price)")), quotedAt: at)
            try writer.record(
                PollRecord(
                    at: at, fetchedAt: at, feed: "coingecko", currency: .usd, outcome: .ok, samples: [sample],
                    watched: WatchedMarkets([sample.market], currencies: .init(.usd))))
        }
        try writer.close()
        return installation
    }

    @Test("shows when each rule would have fired, and draws no bar in a pipe")
    func shows() async throws {
        let installation = try installation([10, 11, 12])
        let ending = try await installation.run("rehearse", "--rule", "btc-high")
        #expect(ending.exit == 0)
        #expect(ending.output.contains("btc-high (bitcoin above 15): would not have fired"))
        #expect(ending.output.contains("bitcoin was between 10 and 12"))
        #expect(ending.errors.isEmpty)
    }

    @Test("for programs, all rules, built-in ones too")
    func json() async throws {
        let ending = try await installation().run("rehearse", "--since", "1h", "--json")
        #expect(ending.exit == 0)
        let document = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any]
        let rules = document?["rules"] as? [[String: Any]]
        #expect(
            rules?.compactMap { $0["rule"] as? String } == ["btc-high", "feed-stale", "market-stale", "market-missing"])
    }

    @Test("with --with-backfill it plays backfilled prices, too")
    func backfilled() async throws {
        let installation = try installation([10, 11, 12])
        let desk = try CommandDatabase(at: installation.folder.path + "/history.db")
        let now = Date()
        let quote = PastQuote(quotedAt: now - .hours(2), price: try #require(Price(parsing: "16")))
        try desk.backfill(
            BackfillAnswer(
                market: try MarketID("bitcoin"), currency: .usd, feed: "coingecko", fetchedAt: now,
                holes: Holes([(now - .hours(3))..<(now - .hours(1))]), quotes: [quote]))
        let ending = try await installation.run("rehearse", "--with-backfill", "--rule", "btc-high")
        #expect(ending.exit == 0)
        #expect(ending.output.contains("3 polls, 1 healed price, "))
        #expect(ending.output.contains("btc-high (bitcoin above 15): would have fired 1 time"))
        let without = try await installation.run("rehearse", "--rule", "btc-high")
        #expect(without.output.contains("btc-high (bitcoin above 15): would not have fired"))
    }

    @Test("no such rule is 65, with the one that was meant; so is a history in which nothing is")
    func nothing() async throws {
        let misspelt = try await installation().run("rehearse", "--rule", "btc-hihg")
        #expect(misspelt.exit == 65)
        #expect(misspelt.errors.contains("did you mean btc-high?"))
        let fresh = try Installation(url: "http://127.0.0.1:9")
        #expect(try await fresh.run("rehearse").exit == 65)
        try HistoryWriter(at: fresh.folder.path + "/history.db").close()
        let empty = try await fresh.run("rehearse")
        #expect(empty.exit == 65)
        #expect(empty.errors.contains("nothing is recorded yet"))
    }

    @Test("a time in which nothing was recorded is no error")
    func later() async throws {
        let ending = try await installation().run("rehearse", "--since", "1s")
        #expect(ending.exit == 0)
        #expect(ending.output.contains("0 polls"))
    }

    @Test("a bad configuration is 78, a database that is none 74")
    func faults() async throws {
        let installation = try installation()
        let faulty = installation.folder.write("alerts: [{name: x}]", as: "faulty.yaml")
        #expect(try await Program.run("rehearse", "--config", faulty).exit == 78)
        _ = installation.folder.write(String(repeating: "no database ", count: 1000), as: "history.db")
        #expect(try await installation.run("rehearse").exit == 74)
    }
}
