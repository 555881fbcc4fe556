import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

/// A provider may call its markets whatever it likes: what is taken in of it is bounded in bytes.
@Suite("Names without an end")
struct NameBoundsTests {
    let time = ManualTime()
    /// One character to a reader who counts characters.
    static let endless = "a" + String(repeating: "\u{301}", count: 150_000)

    private func poll(_ provider: any Provider, _ body: String, _ watch: Watch) async throws -> Answer {
        let transport = ScriptedTransport(time, [.json(body)])
        let report = try await scriptedFeed(provider, transport, time, key: Secret("key/1")).poll(
            watch, within: .seconds(60))
        return try #require(report.answer, "\(report.error?.message ?? "")")
    }

    /// Rows without an id, where every page of a poll is answered with this body.
    private func nameless(_ provider: any Provider, _ body: String, _ watch: Watch) throws -> Int {
        try provider.pages(for: watch).reduce(0) { count, page in
            count + (try page.request.decode(Data(body.utf8)).count { $0 == .nameless })
        }
    }

    private func expectCut(_ text: String, to bytes: Int, of whole: String) {
        #expect(text.utf8.count <= bytes && text.utf8.count > bytes - 8, "\(text.utf8.count) bytes")
        #expect(text.unicodeScalars.last == "…")
        #expect(whole.unicodeScalars.starts(with: text.unicodeScalars.dropLast()))
    }

    /// Like `row`, which looks at the letters of an id.
    private func row(_ id: String, symbol: String = "s", name: String = "N") -> String {
        #"{"id":"\#(id)","symbol":"\#(symbol)","name":"\#(name)","current_price":1}"#
    }

    @Test("CoinGecko", arguments: [("x", 201), ("é", 101), ("🪙", 60), ("\u{301}", 150_000)])
    func coinGecko(letter: String, count: Int) async throws {
        let name = String(repeating: letter, count: count)
        let body = rows(row("bitcoin", symbol: name, name: name))
        let quote = try #require(
            try await poll(CoinGecko(plan: .public), body, try watch("bitcoin")).quotes.first)
        #expect(quote.market.text == "bitcoin")
        expectCut(quote.name, to: 200, of: name)
        expectCut(quote.symbol, to: 50, of: name)
    }

    @Test("the others")
    func others() async throws {
        let name = Self.endless
        let usd = CoinMarketCapTests.price
        let paprika = #"{"id":"btc-bitcoin","name":"\#(name)","symbol":"\#(name)","quotes":{"USD":\#(usd)}}"#
        let cap = #"{"data":[{"id":1,"name":"\#(name)","symbol":"\#(name)","quote":{"USD":\#(usd)}}]}"#
        var fields = JSONFeed.Fields(price: try pointer("/p"))
        (fields.id, fields.name, fields.symbol) = (try pointer("/i"), try pointer("/n"), try pointer("/s"))
        let described = JSONFeed(
            url: try #require(URLTemplate("http://127.0.0.1:9/{ids}")), list: try pointer(""), fields: fields)
        for (provider, body, asked) in [
            (CoinPaprika(plan: .public) as any Provider, paprika, "bitcoin=btc-bitcoin"),
            (CoinMarketCap(plan: .public), cap, "bitcoin=1"),
            (described, #"[{"i":"b","p":1,"n":"\#(name)","s":"\#(name)"}]"#, "bitcoin=b"),
        ] {
            let quote = try #require(try await poll(provider, body, try mapped(asked)).quotes.first)
            expectCut(quote.name, to: 200, of: name)
            expectCut(quote.symbol, to: 50, of: name)
        }
    }

    @Test(
        "an id beyond 200 bytes is none, however few characters it has",
        arguments: [
            ("x", 200, true), ("x", 201, false), ("é", 100, true), ("é", 101, false), ("\u{301}", 150_000, false),
        ])
    func ids(letter: String, count: Int, isOne: Bool) async throws {
        let id = String(repeating: letter, count: count)
        let body = rows(row("bitcoin"), row(id))
        let answer = try await poll(CoinGecko(plan: .public), body, try watch("bitcoin", top: 5))
        #expect(answer.ranking.count == (isOne ? 2 : 1))
        #expect(answer.quotes.count == (isOne ? 2 : 1))
        // The row comes on two pages.
        #expect(try nameless(CoinGecko(plan: .public), body, try watch("bitcoin", top: 5)) == (isOne ? 0 : 2))
        let pair = KrakenTests.body(KrakenTests.row("XXBTZUSD", "1"), KrakenTests.row(id, "1"))
        #expect(try nameless(Kraken(), pair, try mapped("bitcoin=XBTUSD")) == (isOne ? 0 : 1))
        let symbols = rows(BinanceTests.row("BTCUSDT", #""1""#), BinanceTests.row(id, #""1""#))
        #expect(try nameless(Binance(), symbols, try mapped("bitcoin=BTCUSDT")) == (isOne ? 0 : 1))
        let members = #"{"b":{"p":1},"\#(id)":{"p":1}}"#
        let feed = try jsonFeed("http://127.0.0.1:9/{ids}", price: "/p")
        #expect(try nameless(feed, members, try mapped("bitcoin=b")) == (isOne ? 0 : 1))
    }

    @Test("marks that must be put in order cost no more than other bytes", .timeLimit(.minutes(1)))
    func cost() async throws {
        // An answer may have 8 MiB.
        let marks = String(repeating: "\u{301}\u{316}", count: 32_000)
        let hostile = (0..<20).map { number in
            row("\(number)\(marks)", symbol: marks, name: marks)
        }
        let body = "[" + (hostile + [row("bitcoin")]).joined(separator: ",") + "]"
        for _ in 0..<3 {
            let answer = try await poll(CoinGecko(plan: .public), body, try watch("bitcoin", top: 50))
            #expect(answer.quotes.map(\.market.text) == ["bitcoin"])
        }
    }

    @Test("the list of all ids leaves those out that are none, and cuts names")
    func list() throws {
        let body = """
            [{"id":"\(Self.endless)","symbol":"a","name":"A"},{"id":"b","symbol":"\(Self.endless)","name":"\(Self.endless)"}]
            """
        let coins = try CoinGecko.CoinList().decode(Data(body.utf8))
        try #require(coins.count == 1)
        #expect(coins[0].id == "b")
        expectCut(coins[0].name, to: 200, of: Self.endless)
        expectCut(coins[0].symbol, to: 50, of: Self.endless)
    }
}
