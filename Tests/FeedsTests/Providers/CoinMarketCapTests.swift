import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("CoinMarketCap")
struct CoinMarketCapTests {
    let time = ManualTime()
    static let folder = Recording.folder("coinmarketcap")

    static func body(_ data: String, code: String = "0", message: String = "null") -> String {
        """
        {"status":{"timestamp":"2026-11-21T10:00:00.000Z","error_code":\(code),"error_message":\(message),\
        "elapsed":11,"credit_count":1},"data":\(data)}
        """
    }

    static func row(_ id: String, _ quote: String) -> String {
        #"{"id":\#(id),"name":"Name","symbol":"SYM","last_updated":"2026-11-21T09:59:00.000Z","quote":\#(quote)}"#
    }

    static let price = #"{"price":9862.53985763,"volume_24h":5.5,"percent_change_24h":5.474,"market_cap":7}"#

    @Test(arguments: [
        "[\(row("1027", #"{"USD":\#(price)}"#))]", #"{"1027":\#(row("1027", #"{"USD":\#(price)}"#))}"#,
        #"{"1027":[\#(row("1027", #"{"USD":\#(price)}"#))]}"#, "[\(row(#""1027""#, #"{"USD":\#(price)}"#))]",
        "[\(row("1027", "[" + price.replacing("{\"price", with: #"{"id":2781,"symbol":"USD","price"#) + "]"))]",
    ])
    func everyFormOfTheData(_ data: String) async throws {
        for success in ["null", #""""#, #""SUCCESS""#] {
            for code in ["0", #""0""#] {
                let transport = ScriptedTransport(
                    time, [.json(Self.body(data, code: code, message: success))])
                let feed = try scriptedFeed(CoinMarketCap(plan: .public), transport, time)
                let report = try await feed.poll(try mapped("ethereum=1027"), within: .seconds(60))
                let quote = try #require(report.answer?.quotes.first, "\(report.error?.message ?? "")")
                #expect(quote.market.text == "ethereum" && quote.price.description == "9862.53985763")
                #expect(quote.reportedChange == Percent(hundredths: 547) && quote.symbol == "sym")
                #expect(quote.quotedAt == Date(utcText: "2026-11-21T09:59:00Z"))
            }
        }
    }

    @Test func paths() async throws {
        func urls(_ plan: ProviderPlan, _ watch: Watch) throws -> [String] {
            let base = try BaseURL(try #require(CoinMarketCap.terms[plan]).baseURL)
            return CoinMarketCap(plan: plan).pages(for: watch).map { $0.request.url(below: base, key: nil) }
        }
        let ids = try mapped("bitcoin=1", "ethereum=1027")
        let tail = "v3/cryptocurrency/quotes/latest?id=1,1027&skip_invalid=true&convert=USD"
        #expect(try urls(.public, ids) == ["https://pro-api.coinmarketcap.com/public-api/" + tail])
        #expect(try urls(.demo, ids) == ["https://pro-api.coinmarketcap.com/" + tail])
        #expect(
            try urls(.pro, try watch(top: 101)).map { $0.suffix(44) }
                == [
                    "listings/latest?start=1&limit=100&convert=USD", "listings/latest?start=101&limit=100&convert=USD",
                ].map { $0.suffix(44) })
    }

    @Test(arguments: [
        (1001, 401, FeedError.Kind.unauthorized, false), (1002, 401, .unauthorized, false),
        (1003, 402, .forbidden, false), (1004, 402, .forbidden, false), (1005, 403, .forbidden, false),
        (1006, 403, .forbidden, false), (1007, 403, .forbidden, false), (1008, 429, .rateLimited, true),
        (1009, 429, .quota, false), (1010, 429, .quota, false), (1011, 429, .rateLimited, true),
    ])
    func codesAlsoInsideSuccess(_ code: Int, _ status: Int, _ kind: FeedError.Kind, _ retryable: Bool) async throws {
        for status in [status, 200] {
            for code in ["\(code)", "\"\(code)\""] {
                let transport = ScriptedTransport(time, [.json(Self.body("[]", code: code, message: #""no""#), status)])
                let feed = try scriptedFeed(CoinMarketCap(plan: .demo), transport, time, key: Secret("key-1"))
                let error = try #require(try await feed.poll(try mapped("bitcoin=1"), within: .seconds(60)).error)
                #expect(error.kind == kind && error.isRetryable == retryable, "\(error.message)")
                if [.rateLimited, .quota].contains(kind) { #expect(error.retryAt != nil) }
                #expect(transport.requests.first?.headers["X-CMC_PRO_API_KEY"] == "key-1")
            }
        }
    }

    @Test(.enabled(if: folder != nil), arguments: Recording.all(in: folder))
    func recordedAnswers(_ recording: Recording) async throws {
        let body = try recording.body
        let transport = ScriptedTransport(time, [.json(String(decoding: body, as: UTF8.self))])
        let feed = try scriptedFeed(CoinMarketCap(plan: .public), transport, time)
        let report = try await feed.poll(try watch(top: 100), within: .seconds(60))
        guard recording.name.hasPrefix("listings") else {
            #expect(report.error?.kind == (recording.name.hasPrefix("error-1002") ? .unauthorized : .decode))
            return
        }
        let answer = try #require(report.answer)
        let prices = String(decoding: body, as: UTF8.self).matches(of: /"price":\s*([^,}\s]+)/).map { String($0.1) }
        #expect(prices.count == 20)
        #expect(answer.quotes.map(\.price.description) == prices.map(Recording.plain))
        #expect(answer.quotes.prefix(4).map(\.market.text) == ["bitcoin", "ethereum", "ripple", "tether"])
        #expect(answer.quotes.allSatisfy { $0.quotedAt != nil && $0.marketCap != nil && $0.reportedChange != nil })
    }
}
