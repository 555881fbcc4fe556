import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

/// What a new provider has to bring, by the example of one that answers one market a request and takes a token.
private struct TinyProvider: Provider {
    let errors = ProviderErrors(codes: [77: .init(.quota, "the month is used up", isRetryable: true)])

    func pages(for watch: Watch) -> [PageRequest] {
        watch.namedPages(of: 1) { Last(entry: $0[0], currency: watch.currency) }
    }

    func headers(with key: Secret?) -> [(name: String, value: String)] {
        key.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []
    }

    struct Last: FeedRequest {
        var entry: Watch.Entry
        var currency: Currency
        var path: String { "/last/\(entry.providerID.pathSegment)" }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            let last = try JSONDocument(body).root["last"]
            let row = QuoteRow.priced(entry.market, last, \.numeralInText) { price, _ in
                Quote(market: entry.market, symbol: "", name: "", currency: currency, price: price, quotedAt: nil)
            }
            return [row]
        }
    }
}

@Suite("Another provider")
struct NextProviderTests {
    let time = ManualTime()

    func feed(_ transport: ScriptedTransport) throws -> Feed {
        Feed(
            FeedClient(
                TinyProvider(), try environment(key: Secret("token-1")), transport: transport,
                memory: TransientMemory(), time: time, random: { 1 }))
    }

    @Test func oneRequestAMarket() async throws {
        let transport = ScriptedTransport(time) { _, request in
            switch request.url.split(separator: "/").last {
            case "BTC%2FUSD": .json(#"{"last":"77123.450"}"#)
            case "zero": .json(#"{"last":"0"}"#)
            default: .json(#"{"error":"unknown"}"#, 404)
            }
        }
        let entries = try ids("nope", "none", "nil", "zero", "bitcoin").map {
            Watch.Entry($0, providerID: $0.text == "bitcoin" ? "BTC/USD" : nil)
        }
        let watch = Watch(entries, currency: try Currency("usd"))
        let answer = try #require(try await feed(transport).poll(watch, within: .seconds(60)).answer)
        #expect(answer.prices == ["bitcoin": "77123.45"])
        #expect(answer.unusable == [try MarketID("zero"): .badPrice])
        #expect(answer.missing == (try ids("nope", "none", "nil")))
        #expect(answer.pageError == nil)
        #expect(transport.requests.first?.headers["authorization"] == "Bearer token-1")
    }

    @Test func onlyUnknownMarketsIsAFailure() async throws {
        let transport = ScriptedTransport(time, [.json(#"{"error":"unknown"}"#, 404)])
        let report = try await feed(transport).poll(try watch("a", "b", "c"), within: .seconds(60))
        #expect(report.error?.kind == .notFound)
        #expect(report.requests == 3)
    }

    @Test func itsOwnCodes() async throws {
        let transport = ScriptedTransport(time, [.json(#"{"code":77,"msg":"used up"}"#)])
        let report = try await feed(transport).poll(try watch("a", "b"), within: .seconds(60))
        #expect(report.error?.kind == .quota)
        #expect(report.requests == 1)
        #expect(report.error?.retryAt == time.now() + .hours(1))
    }

    @Test func aURLOfItsOwnerIsNotShown() async throws {
        let transport = ScriptedTransport(time, [.json(#"{"error": "no route /token-1/v1/last/a"}"#, 500)])
        var environment = try environment("https://example.com/token-1/v1")
        environment.ownURL = Secret("https://example.com/token-1/v1")
        let feed = Feed(
            FeedClient(TinyProvider(), environment, transport: transport, memory: TransientMemory(), time: time))
        let message = try await feed.poll(try watch("a"), within: .seconds(60)).error?.message ?? ""
        #expect(message.hasPrefix("get https://example.com/…/last/a: 500"), "\(message)")
        #expect(message.hasSuffix("no route ***/last/a"), "\(message)")
    }
}
