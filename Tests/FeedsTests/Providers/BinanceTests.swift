import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Binance")
struct BinanceTests {
    let time = ManualTime()
    static let folder = Recording.folder("binance")

    static func row(_ symbol: String, _ price: String) -> String {
        """
        {"symbol":"\(symbol)","priceChangePercent":"-1.255","lastPrice":\(price),"quoteVolume":"4546.5",\
        "openTime":1732179600000,"closeTime":1732266000123,"firstId":1,"lastId":2,"count":2}
        """
    }

    @Test func symbolsAreAskedAtOnce() async throws {
        let body = rows(
            Self.row("SOLUSDT", #""99.63000000""#), Self.row("BTCUSDT", #""77123.45000000""#),
            Self.row("DEADUSDT", #""0.00000000""#), Self.row("ODDUSDT", "7"))
        let transport = ScriptedTransport(time, [.json(body)])
        let feed = try scriptedFeed(Binance(), transport, time)
        let watch = try mapped("bitcoin=BTCUSDT", "solana=SOLUSDT", "dead=DEADUSDT", "odd=ODDUSDT", "gone=GONEUSDT")
        let answer = try #require(try await feed.poll(watch, within: .seconds(60)).answer)
        let list = "%5B%22BTCUSDT%22,%22SOLUSDT%22,%22DEADUSDT%22,%22ODDUSDT%22,%22GONEUSDT%22%5D"
        #expect(transport.requests.map(\.url) == ["http://127.0.0.1:9/api/v3/ticker/24hr?symbols=" + list])
        #expect(answer.prices == ["bitcoin": "77123.45", "solana": "99.63"])
        #expect(answer.unusable == [try MarketID("dead"): .badPrice, try MarketID("odd"): .badPrice])
        #expect(answer.missing == (try ids("gone")))
        let quote = try #require(answer.quotes.first)
        #expect(quote.quotedAt == Date(milliseconds: 1_732_266_000_123))
        #expect(quote.reportedChange == Percent(hundredths: -126) && quote.volume24h == 4546.5)
    }

    /// The whole list is refused for one symbol: the others get their prices in the same poll, and the next poll asks
    /// without it.
    @Test func oneUnknownSymbolLeavesTheOthersAlone() async throws {
        let transport = ScriptedTransport(time) { _, request in
            let asked = request.url.matches(of: /%22([A-Z0-9]+)%22/).map { String($0.1) }
            if asked.contains("NOPE") { return .json(#"{"code":-1121,"msg":"Invalid symbol."}"#, 400) }
            return .json("[" + asked.map { Self.row($0, #""2.50""#) }.joined(separator: ",") + "]")
        }
        let feed = try scriptedFeed(Binance(), transport, time)
        let watch = try mapped("a=A", "b=B", "nope=NOPE", "c=C", "d=D", "e=E", "f=F", "g=G")
        let answer = try #require(try await feed.poll(watch, within: .seconds(60)).answer)
        #expect(answer.quotes.map(\.market.text) == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(answer.missing == (try ids("nope")))
        #expect(answer.pageError == nil)
        #expect(transport.requests.count == 7)
        for (hours, requests) in [(1, 8), (25, 15)] {
            time.step(.hours(hours))
            let next = try #require(try await feed.poll(watch, within: .seconds(60)).answer)
            #expect(next.quotes.count == 7)
            #expect(next.missing == (try ids("nope")))
            #expect(transport.requests.count == requests)
        }
    }

    @Test func aLoneUnknownSymbolIsAFailureEachTime() async throws {
        let transport = ScriptedTransport(time, [.json(#"{"code":-1121,"msg":"Invalid symbol."}"#, 400)])
        let feed = try scriptedFeed(Binance(), transport, time)
        for count in 1...2 {
            let report = try await feed.poll(try mapped("nope=NOPE"), within: .seconds(60))
            #expect(report.error?.kind == .notFound && transport.requests.count == count)
        }
    }

    @Test(
        arguments: [
            (429, #"{"code":-1003,"msg":"Too many requests."}"#, [("Retry-After", "17")], .rateLimited, 17),
            (
                418, #"{"code":-1003,"msg":"Way too many requests; IP banned."}"#, [("Retry-After", "600")],
                .rateLimited, 600
            ),
            (418, "{}", [("Retry-After", "259200")], .rateLimited, 259_200), (429, "{}", [], .rateLimited, 60),
            (200, #"{"code":-1003,"msg":"Too many requests."}"#, [], .rateLimited, 60),
            (451, #"{"code":0,"msg":"Service unavailable from a restricted location"}"#, [], .blocked, 900),
        ] as [(Int, String, [(String, String)], FeedError.Kind, Int)])
    func limits(
        _ status: Int, _ body: String, _ headers: [(String, String)], _ kind: FeedError.Kind, _ seconds: Int
    ) async throws {
        let transport = ScriptedTransport(time, [.json(body, status, headers)])
        let report = try await scriptedFeed(Binance(), transport, time).poll(
            try mapped("bitcoin=BTCUSDT", "b=B"), within: .seconds(10))
        #expect(report.error?.kind == kind)
        #expect(report.error?.retryAt == time.now() + .seconds(seconds))
        #expect(transport.requests.count == 1)
    }

    @Test(.enabled(if: folder != nil), arguments: Recording.all(in: folder))
    func recordedAnswers(_ recording: Recording) async throws {
        let body = try recording.body
        let text = String(decoding: body, as: UTF8.self)
        let symbols = text.matches(of: /"symbol":"([^"]*)"/).map { String($0.1) }
        let prices = text.matches(of: /"lastPrice":"([^"]*)"/).map { String($0.1) }
        let currency = try Currency("usd")
        guard !recording.name.hasPrefix("error") else {
            let transport = ScriptedTransport(time, [.json(text, 429)])
            let report = try await scriptedFeed(Binance(), transport, time).poll(
                try mapped("bitcoin=BTCUSDT"), within: .seconds(60))
            #expect(report.error?.kind == .rateLimited && EnvelopeFailure(body)?.code == -1003)
            return
        }
        #expect(!symbols.isEmpty && symbols.count == prices.count)
        let rows = try Binance.DayTickers(currency: currency, entries: []).decode(body)
        #expect(rows.map { $0.market?.text } == symbols)
        for (row, sent) in zip(rows, prices) {
            let plain = Recording.plain(sent)
            if plain == "0" {
                #expect(row == .unusable(try #require(row.market), .badPrice))
            } else if case .quote(let quote) = row {
                #expect(quote.price.description == plain && quote.quotedAt != nil && quote.reportedChange != nil)
            } else {
                Issue.record("\(row)")
            }
        }
    }
}
