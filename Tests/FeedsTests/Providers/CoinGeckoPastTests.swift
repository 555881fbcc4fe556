import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("CoinGecko, the past")
struct CoinGeckoPastTests {
    static let now = Date(utcText: "2026-11-21T10:00:00Z") ?? .distantPast
    static let recordings = CoinGeckoRecordedTests.all.filter { $0.name.hasPrefix("market_chart") }

    private func page(
        _ from: Duration, _ to: Duration, plan: ProviderPlan = .public
    ) throws -> PastPage? {
        let entry = Watch.Entry(try MarketID("boringdao"), providerID: "boringdao-[old]")
        return CoinGecko(plan: plan).pastPage(
            of: entry, in: try Currency("eur"), (Self.now - from)..<(Self.now - to), now: Self.now)
    }

    @Test(
        "the newest part of a stretch comes in the steps that its age allows",
        arguments: [
            (Duration.hours(6), Duration.zero, Duration.hours(6), Duration.minutes(5)),
            (.hours(6), .hours(5), .hours(6), .minutes(5)),
            (.hours(30), .hours(1), .minutes(24 * 60 - 1), .minutes(5)),
            (.hours(30), .hours(25), .hours(30), .hours(1)),
            (.hours(24 * 200), .hours(48), .hours(24 * 91), .hours(1)),
            (.hours(24 * 400), .hours(24 * 364), .hours(24 * 365 - 1), .hours(1)),
        ])
    func steps(from: Duration, to: Duration, reaches: Duration, step: Duration) throws {
        let page = try #require(try page(from, to))
        #expect(page.span == (Self.now - reaches)..<(Self.now - to))
        #expect(page.step == step)
    }

    @Test func `beyond a year only a paid plan answers`() throws {
        #expect(try page(.hours(24 * 400), .hours(24 * 366)) == nil)
        #expect(
            try page(.hours(24 * 400), .hours(24 * 366), plan: .pro)?.span.lowerBound == Self.now - .hours(24 * 400))
    }

    @Test func `the request is escaped, in whole seconds, and a recent one ends now`() throws {
        let url = try #require(try page(.hours(6), .hours(3))).request.url(
            below: try BaseURL("http://127.0.0.1:9/api/v3"), key: nil)
        #expect(
            url == "http://127.0.0.1:9/api/v3/coins/boringdao-%5Bold%5D/market_chart/range"
                + "?vs_currency=eur&from=1795233600&to=1795255200&precision=full")
        let old = try #require(try page(.hours(48), .hours(40))).request.url(
            below: try BaseURL("http://127.0.0.1:9"), key: nil)
        #expect(old.contains("from=1795082400&to=1795111200"))
    }

    private func decode(_ text: String, endsNow: Bool = false) throws -> [PastQuote] {
        try CoinGecko.ChartRange(
            id: "a", currency: try Currency("usd"), range: Self.now..<Self.now, endsNow: endsNow
        ).decode(Data(text.utf8))
    }

    @Test func `what is no price is left out, whatever is wrong with it`() throws {
        let quotes = try decode(
            """
            {"prices":[[1795000001000,1.5],[1795000002000,null],[1795000003000],[1795000004000,0],[1795000005000,-1],
                       ["x",2],null,[1795000,7],[1795000008000.0,2.5e-7],[1795000009000,"3"]],
             "market_caps":[[1795000001000,10],[1795000002000,20]],
             "total_volumes":[[1795000001000,5],[1795000002000,null],[1795000003000,1]]}
            """)
        #expect(quotes.map(\.quotedAt.milliseconds) == [1_795_000_001_000, 1_795_000_008_000])
        #expect(quotes.map(\.price.description) == ["1.5", "0.00000025"])
        #expect(quotes.map(\.marketCap) == [10, nil])
        #expect(quotes.map(\.volume24h) == [5, nil])
    }

    @Test(
        "a point whose time cannot be read is left out, and the live price is the last one whatever its time says",
        arguments: ["\"x\"", "null", "\"\"", "0", "1795000", "-1", "1e300", "\"2026-11-21T09:55:00Z\"", "{}"])
    func unreadableTimes(_ time: String) throws {
        func prices(_ live: String, endsNow: Bool) throws -> [String] {
            let text = #"{"prices":[[\#(time),1],[1795254900000,7],[\#(live),8]]}"#
            return try decode(text, endsNow: endsNow).map(\.price.description)
        }
        #expect(try prices("1795255200000", endsNow: true) == ["7"])
        #expect(try prices(time, endsNow: true) == ["7"])
        #expect(try prices(time, endsNow: false) == ["7"])
    }

    @Test func `an empty past is an answer, another document is none`() throws {
        #expect(try decode(#"{"prices":[],"market_caps":[],"total_volumes":[]}"#).isEmpty)
        #expect(try decode(#"{"prices":[]}"#, endsNow: true).isEmpty)
        for text in [#"{"error":"coin not found"}"#, "[]", "", "<html>", #"{"prices":[[1,2]"#] {
            #expect(throws: UnreadableBody.self) { try decode(text) }
        }
    }

    @Test(.enabled(if: CoinGeckoRecordedTests.folder != nil), arguments: recordings)
    func `recorded charts come digit for digit, without the live price at their end`(_ recording: Recording) throws {
        let body = try recording.body
        let text = String(decoding: body, as: UTF8.self)
        let list = try #require(text.firstMatch(of: /"prices"\s*:\s*\[(.*?\])\s*\]/.dotMatchesNewlines())?.1)
        let sent = list.matches(of: /\[\s*(\d+)\s*,\s*([^\]\s]+)\s*\]/).map { (Int64($0.1), String($0.2)) }
        #expect(sent.count > 280)
        let quotes = try decode(text, endsNow: true)
        #expect(quotes.count == sent.count - 1)
        for (quote, (time, price)) in zip(quotes, sent) {
            #expect(quote.quotedAt.milliseconds == time)
            #expect(quote.price.description == Recording.plain(price))
            #expect(quote.volume24h != nil && quote.marketCap != nil)
        }
    }

    @Test func `sent as a poll is: with the key, counted, repeated, and not while a wait holds`() async throws {
        let time = ManualTime()
        let transport = ScriptedTransport(
            time,
            [
                .json("oops", 503), .json(#"{"prices":[[1795254900000,7],[1795255200000,8]]}"#),
                .json(#"{"status":{"error_code":429,"error_message":"slow down"}}"#, 429, [("Retry-After", "600")]),
            ])
        let feed = scriptedFeed(
            transport, time, environment: try environment(key: Secret("CG-x")), plan: .demo)
        func past() async throws -> [PastQuote] {
            let page = feed.pastPage(
                of: Watch.Entry(try MarketID("bitcoin")), in: try Currency("usd"), (Self.now - .hours(1))..<Self.now,
                now: time.now())
            return try await feed.past(try #require(page), within: .seconds(60))
        }
        #expect(feed.offersPast)
        #expect(try await past().map(\.price.description) == ["7"])
        #expect(transport.requests.allSatisfy { $0.headers["x-cg-demo-api-key"] == "CG-x" })
        #expect(await feed.requests(in: UTCMonth(time.now())) == 2)
        await #expect(throws: FeedError.self) { try await past() }
        let sent = transport.requests.count
        await #expect(throws: FeedError.self) { try await past() }
        #expect(transport.requests.count == sent)
        #expect(await feed.cooldownInForce()?.0.cause == .rateLimited)
    }
}
