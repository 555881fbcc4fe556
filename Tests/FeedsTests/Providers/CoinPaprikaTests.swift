import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("CoinPaprika")
struct CoinPaprikaTests {
    let time = ManualTime()

    static func row(_ id: String, rank: Int, _ price: String, updated: String = "2026-11-21T09:59:30Z") -> String {
        """
        {"id":"\(id)","name":"\(id.capitalized)","symbol":"\(id.prefix(3).uppercased())","rank":\(rank),\
        "total_supply":19000000,"beta_value":0.9,"last_updated":"\(updated)","quotes":{"USD":{"price":\(price),\
        "volume_24h":2.5e10,"market_cap":1530000000000,"percent_change_24h":-1.255}}}
        """
    }

    @Test func oneMarketIsAskedByItsID() async throws {
        let transport = ScriptedTransport(time, [.json(Self.row("btc-bitcoin", rank: 1, "77123.4512345678"))])
        let feed = try scriptedFeed(CoinPaprika(plan: .public), transport, time)
        let answer = try #require(
            try await feed.poll(try mapped("bitcoin=btc-bitcoin"), within: .seconds(60)).answer)
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1:9/tickers/btc-bitcoin?quotes=USD"])
        let quote = Quote(
            market: try MarketID("bitcoin"), symbol: "btc", name: "Btc-Bitcoin", currency: try Currency("usd"),
            price: try #require(Price(parsing: "77123.4512345678")), quotedAt: Date(utcText: "2026-11-21T09:59:30Z"),
            reportedChange: Percent(hundredths: -126), volume24h: 2.5e10, marketCap: 1.53e12)
        #expect(answer.quotes == [quote])
    }

    @Test func moreComeInOneRequest() async throws {
        let body = rows(
            Self.row("eth-ethereum", rank: 2, "2391.22"), Self.row("btc-bitcoin", rank: 1, "77123.45"),
            Self.row("x-dead", rank: 0, "0"), Self.row("nobody-asked", rank: 3, "1"),
            Self.row("y-null", rank: 9, "null"))
        let transport = ScriptedTransport(time, [.json(body)])
        let feed = try scriptedFeed(CoinPaprika(plan: .public), transport, time)
        let watch = try mapped("bitcoin=btc-bitcoin", "ethereum=eth-ethereum", "dead=x-dead", "null=y-null", "z=z-gone")
        let answer = try #require(try await feed.poll(watch, within: .seconds(60)).answer)
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1:9/tickers?quotes=USD"])
        #expect(answer.prices == ["bitcoin": "77123.45", "ethereum": "2391.22"])
        #expect(answer.unusable == [try MarketID("dead"): .badPrice, try MarketID("null"): .nullPrice])
        #expect(answer.missing == (try ids("z")))
    }

    @Test func theLargestByRankUnderOurNames() async throws {
        let body = rows(
            Self.row("pepe-pepe", rank: 3, "8.36e-06"), Self.row("btc-bitcoin", rank: 1, "77123.45"),
            Self.row("new-coin", rank: 2, "5"), Self.row("eth-ethereum", rank: 4, "2391.22"))
        let transport = ScriptedTransport(time, [.json(body)])
        let feed = try scriptedFeed(CoinPaprika(plan: .public), transport, time)
        let watch = try mapped("ethereum=eth-ethereum", top: 3)
        let answer = try #require(try await feed.poll(watch, within: .seconds(60)).answer)
        #expect(answer.ranking == (try ids("bitcoin", "new-coin", "pepe")))
        #expect(answer.quotes.map(\.market) == (try ids("ethereum", "bitcoin", "new-coin", "pepe")))
        #expect(answer.prices["pepe"] == "0.00000836")
    }

    @Test func anUnknownIDIsMissingAndItsCurrencyIsAskedFor() async throws {
        let transport = ScriptedTransport(time, [.json(#"{"error":"id not found"}"#, 404)])
        let feed = try scriptedFeed(CoinPaprika(plan: .public), transport, time)
        let report = try await feed.poll(try mapped("x=x-gone", currency: "eur"), within: .seconds(60))
        #expect(report.error?.kind == .notFound)
        #expect(transport.requests.first?.url.hasSuffix("/tickers/x-gone?quotes=EUR") == true)
    }

    @Test(arguments: [
        (#"{"error":"monthly limit exceeded"}"#, 402, FeedError.Kind.forbidden),
        (#"{"error":"too many"}"#, 429, .rateLimited), ("{}", 200, .decode), (#"{"error":"down"}"#, 500, .server),
        ("[]", 200, .decode),
    ])
    func failures(_ body: String, _ status: Int, _ kind: FeedError.Kind) async throws {
        let transport = ScriptedTransport(time, [.json(body, status)])
        let feed = try scriptedFeed(CoinPaprika(plan: .public), transport, time)
        #expect(try await feed.poll(try mapped("bitcoin=btc-bitcoin"), within: .seconds(60)).error?.kind == kind)
    }

    @Test func aKeyGoesToTheProHost() async throws {
        let transport = ScriptedTransport(time, [.json(Self.row("btc-bitcoin", rank: 1, "1"))])
        let feed = try scriptedFeed(CoinPaprika(plan: .pro), transport, time, key: Secret("k-1"))
        _ = try await feed.poll(try mapped("bitcoin=btc-bitcoin"), within: .seconds(60))
        #expect(transport.requests.first?.headers["authorization"] == "k-1")
    }
}
