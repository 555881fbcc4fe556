import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Kraken")
struct KrakenTests {
    let time = ManualTime()
    static let folder = Recording.folder("kraken")

    static func row(_ pair: String, _ price: String) -> String {
        #""\#(pair)":{"a":["1","1","1.000"],"c":["\#(price)","0.5"],"v":["1.0","2.0"],"p":["3.0","4.0"],"t":[1,2],"o":"9"}"#
    }

    static func body(_ rows: String...) -> String { #"{"error":[],"result":{"# + rows.joined(separator: ",") + "}}" }

    @Test func pairsComeBackUnderOtherNames() async throws {
        let body = Self.body(
            Self.row("XXBTZUSD", "77123.40000"), Self.row("XETHZUSD", "2391.22"), Self.row("XDGUSD", "0.1073820"),
            Self.row("DEADUSD", "0.00000"), Self.row("SOLUSD", "n/a"))
        let transport = ScriptedTransport(time, [.json(body)])
        let watch = try mapped(
            "bitcoin=XBTUSD", "ethereum=ETHUSD", "dogecoin=XDGUSD", "dead=DEADUSD", "solana=SOLUSD", "gone=GONEUSD")
        let answer = try #require(
            try await scriptedFeed(Kraken(), transport, time).poll(watch, within: .seconds(60)).answer)
        let pairs = "XBTUSD,ETHUSD,XDGUSD,DEADUSD,SOLUSD,GONEUSD"
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1:9/0/public/Ticker?pair=" + pairs])
        #expect(answer.prices == ["bitcoin": "77123.4", "ethereum": "2391.22", "dogecoin": "0.107382"])
        #expect(answer.unusable == [try MarketID("dead"): .badPrice, try MarketID("solana"): .badPrice])
        #expect(answer.missing == (try ids("gone")))
        let quote = try #require(answer.quotes.first)
        #expect(quote.quotedAt == nil && quote.reportedChange == nil && quote.volume24h == 8)
    }

    @Test(arguments: [
        ("XBTUSD", "XXBTZUSD"), ("XBTUSD", "BTC/USD"), ("XBT/USD", "BTC/USD"), ("BTCUSD", "XXBTZUSD"),
        ("XDGUSD", "DOGE/USD"), ("ETHXBT", "XETHXXBT"), ("ETHXBT", "ETH/BTC"), ("XTZUSD", "XTZ/USD"),
        ("xbtusd", "XXBTZUSD"), ("XRPUSD", "XXRPZUSD"), ("USDTUSD", "USDTZUSD".replacing("Z", with: "")),
    ])
    func theSamePair(_ asked: String, _ answered: String) {
        #expect(Kraken.Ticker.plain(asked) == Kraken.Ticker.plain(answered))
    }

    @Test(arguments: [
        ("EQuery:Unknown asset pair", FeedError.Kind.notFound, false),
        ("EGeneral:Invalid arguments", .badRequest, false), ("EAPI:Rate limit exceeded", .rateLimited, true),
        ("EGeneral:Too many requests", .rateLimited, true), ("EService:Unavailable", .server, true),
        ("EService:Busy", .server, true), ("EGeneral:Temporary lockout", .rateLimited, true),
        ("EWhat:ever", .server, true),
    ])
    func itsErrorsComeWithSuccess(_ text: String, _ kind: FeedError.Kind, _ retryable: Bool) async throws {
        for body in [#"{"error":["\#(text)"]}"#, #"{"error":["\#(text)"],"result":{}}"#] {
            let transport = ScriptedTransport(time, [.json(body)])
            let error = try await scriptedFeed(Kraken(), transport, time).poll(
                try mapped("bitcoin=XBTUSD"), within: .seconds(10)
            ).error
            #expect(error?.kind == kind && error?.isRetryable == retryable, "\(error?.message ?? "")")
            #expect(error?.message.contains(text) == true)
        }
    }

    @Test func oneUnknownPairLeavesTheOthersAlone() async throws {
        let transport = ScriptedTransport(time) { _, request in
            let asked = request.url.split(separator: "=").last?.split(separator: ",").map(String.init) ?? []
            if asked.contains("NOPE") { return .json(#"{"error":["EQuery:Unknown asset pair"]}"#) }
            return .json(#"{"error":[],"result":{"# + asked.map { Self.row($0, "2.5") }.joined(separator: ",") + "}}")
        }
        let answer = try #require(
            try await scriptedFeed(Kraken(), transport, time).poll(
                try mapped("a=AUSD", "nope=NOPE", "b=BUSD"), within: .seconds(60)
            ).answer)
        #expect(answer.prices == ["a": "2.5", "b": "2.5"])
        #expect(answer.missing == (try ids("nope")))
        #expect(answer.pageError == nil)
    }

    @Test(arguments: [#"{"error":[]}"#, "{}", "[]", #"{"error":[],"result":[]}"#])
    func otherBodiesAreErrors(_ body: String) async throws {
        let transport = ScriptedTransport(time, [.json(body)])
        let report = try await scriptedFeed(Kraken(), transport, time).poll(
            try mapped("bitcoin=XBTUSD"), within: .seconds(60))
        #expect(report.error?.kind == .decode)
    }

    @Test(.enabled(if: folder != nil), arguments: Recording.all(in: folder))
    func recordedAnswers(_ recording: Recording) throws {
        let body = try recording.body
        let sent = String(decoding: body, as: UTF8.self)
            .matches(of: /"([^"]+)":\{"a":\[[^\]]*\],"b":\[[^\]]*\],"c":\["([^"]*)"/)
            .map { (pair: String($0.1), price: Recording.plain(String($0.2))) }
        let entries = try sent.map { Watch.Entry(try MarketID($0.pair), providerID: $0.pair) }
        let rows = try Kraken.Ticker(currency: try Currency("usd"), entries: entries).decode(body)
        #expect(rows.count == sent.count && rows.count == (recording.name.hasPrefix("ticker-all") ? 1530 : 1))
        let byMarket = Dictionary(grouping: rows) { $0.market?.text }
        for (pair, price) in sent {
            let row = try #require(byMarket[pair]?.first, "\(pair)")
            if case .quote(let quote) = row {
                #expect(quote.price.description == price, "\(pair)")
            } else {
                #expect(price == "0" && row == .unusable(try MarketID(pair), .badPrice), "\(pair)")
            }
        }
    }

    /// The pairs of the table are there under the names in which they are asked.
    @Test(.enabled(if: folder != nil)) func everyKnownPairIsTraded() throws {
        let recording = try #require(Recording.all(in: Self.folder).first { $0.name.hasPrefix("ticker-all") })
        let dollar = try Currency("usd")
        let entries = KnownMarkets.all.compactMap { market in
            KnownMarkets.name(of: market, at: "kraken", in: dollar).map { Watch.Entry(market, providerID: $0) }
        }
        let rows = try Kraken.Ticker(currency: dollar, entries: entries).decode(try recording.body)
        let quoted = Set(rows.compactMap { row in if case .quote(let quote) = row { quote.market } else { nil } })
        #expect(entries.filter { !quoted.contains($0.market) }.isEmpty)
    }
}
