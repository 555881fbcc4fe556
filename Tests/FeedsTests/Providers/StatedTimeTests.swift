import Foundation
import Markets
import Testing

@testable import Feeds

/// A time that a provider does not state is the moment of the answer; one that cannot be read makes the price unusable,
/// which may be of any age.
@Suite("The time that a provider states")
struct StatedTimeTests {
    /// A row with a good price, read with this JSON text as its time; nil: the row has no member for it.
    struct Source: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var read: @Sendable (_ time: String?) throws -> [QuoteRow]
        /// A time in the form that the provider has.
        var good = #""2026-11-21T09:59:30.000Z""#
    }

    private static func member(_ name: String, _ value: String?) -> String { value.map { ",\"\(name)\":\($0)" } ?? "" }

    private static func watch() throws -> Watch { try mapped("a=1") }

    static let texts = [
        Source(testDescription: "coingecko") { time in
            let request = CoinGecko.MarketsPage(
                currency: try Currency("usd"), content: .named([]), names: ["1": try MarketID("a")])
            return try request.decode(
                Data(#"[{"id":"1","current_price":7\#(member("last_updated", time))}]"#.utf8)
            )
        },
        Source(testDescription: "coinpaprika, one market") { time in
            let request = CoinPaprika.Ticker(entry: try watch().entries[0], currency: try Currency("usd"))
            return try request.decode(
                Data(#"{"id":"1","quotes":{"USD":{"price":7}}\#(member("last_updated", time))}"#.utf8)
            )
        },
        Source(testDescription: "coinpaprika, several markets") { time in
            let request = CoinPaprika.Tickers(watch: try watch(), names: ["1": try MarketID("a")])
            return try request.decode(
                Data(#"[{"id":"1","quotes":{"USD":{"price":7}}\#(member("last_updated", time))}]"#.utf8)
            )
        },
        Source(testDescription: "coinmarketcap, of the price") { time in
            try latest(#"{"id":1,"quote":{"USD":{"price":7\#(member("last_updated", time))}}}"#)
        },
        Source(testDescription: "coinmarketcap, of the market") { time in
            try latest(#"{"id":1,"quote":{"USD":{"price":7}}\#(member("last_updated", time))}"#)
        },
        Source(testDescription: "coinmarketcap, of the price, beside a good one of the market") { time in
            let whole = #""last_updated":"2026-11-21T09:59:30.000Z""#
            return try latest(#"{"id":1,\#(whole),"quote":{"USD":{"price":7\#(member("last_updated", time))}}}"#)
        },
        Source(testDescription: "json, iso8601") { try json($0, .iso8601) },
    ]

    static let numbers = [
        Source(
            testDescription: "binance",
            read: { time in
                let request = Binance.DayTickers(
                    currency: try Currency("usd"), entries: try watch().entries)
                return try request.decode(
                    Data(#"[{"symbol":"1","lastPrice":"7"\#(member("closeTime", time))}]"#.utf8)
                )
            }, good: "1795255170000"),
        Source(testDescription: "json, epoch_ms", read: { try json($0, .epochMilliseconds) }, good: "1795255170000"),
        Source(testDescription: "json, epoch_s", read: { try json($0, .epochSeconds) }, good: "1795255170"),
    ]

    private static func latest(_ row: String) throws -> [QuoteRow] {
        let request = CoinMarketCap.Latest(
            currency: try Currency("usd"), content: .named([]), names: ["1": try MarketID("a")])
        return try request.decode(Data(#"{"data":[\#(row)]}"#.utf8))
    }

    /// Beside another market, since a feed whose every time is bad is one whose `time_format` is wrong.
    private static func json(_ time: String?, _ format: JSONFeed.TimeFormat) throws -> [QuoteRow] {
        let (url, price) = (URLTemplate("https://x.test/{ids}"), JSONPointer("/p"))
        var fields = JSONFeed.Fields(price: try #require(price))
        fields.quotedAt = JSONPointer("/t")
        var feed = JSONFeed(url: try #require(url), list: try pointer(""), fields: fields)
        feed.timeFormat = format
        let request = JSONFeed.Prices(
            feed: feed, entries: try mapped("a=1", "b=2").entries, currency: try Currency("usd"))
        let text = #"{"1":{"p":7\#(member("t", time))},"2":{"p":8,"t":null}}"#
        return try request.decode(Data(text.utf8)).filter { $0.market?.text == "a" }
    }

    private func quote(_ source: Source, _ time: String?) throws -> Quote {
        guard case .quote(let quote)? = try source.read(time).first else {
            throw UnreadableBody(reason: "holds no quote")
        }
        return quote
    }

    @Test("a good one is taken over", arguments: texts + numbers)
    func good(source: Source) throws {
        #expect(try quote(source, source.good).quotedAt == Date(utcText: "2026-11-21T09:59:30Z"))
    }

    @Test("absent or null is none", arguments: texts + numbers, [nil, "null"])
    func absent(source: Source, time: String?) throws {
        let quote = try quote(source, time)
        #expect(quote.price.description == "7")
        let isStatedElsewhere = source.testDescription.hasSuffix("beside a good one of the market")
        #expect((quote.quotedAt == nil) == !isStatedElsewhere)
    }

    @Test(
        "one that cannot be read makes the price unusable", arguments: texts,
        [
            #""yesterday""#, #""""#, #"" ""#, "true", "{}", "[]", "0", "1795255170", "1795255170000",
            #""1795255170""#, #""2026-11-21""#, #""2026-11-21T09:59:30""#, #""2026-13-21T09:59:30Z""#,
            #""2026-02-29T09:59:30Z""#, #""0001-01-01T00:00:00Z""#, #""1970-01-01T00:00:00Z""#,
            #""1999-12-31T23:59:59Z""#, #""2100-01-01T00:00:00Z""#, #""9999-12-31T23:59:59Z""#,
            #""12026-11-21T09:59:30Z""#, #""2026-11-21T09:59:30Z\u0000""#, #""\ud800""#,
        ])
    func unreadableText(source: Source, time: String) throws {
        #expect(try source.read(time) == [.unusable(try MarketID("a"), .badPrice)])
    }

    @Test(
        "a number that is no time does so, too", arguments: numbers,
        [
            #""yesterday""#, #""""#, "true", "{}", "[]", "0", "-1", "1", "1e300", "-1e300", "1e-400", "9e18",
            "1795255170000000", "9223372036854775807", "-9223372036854775807", #""2026-11-21T09:59:30Z""#,
        ])
    func unreadableNumber(source: Source, time: String) throws {
        #expect(try source.read(time) == [.unusable(try MarketID("a"), .badPrice)])
    }

    @Test("seconds are no milliseconds, nor the other way round")
    func units() throws {
        for (source, time) in zip(Self.numbers, ["1795255170", "1795255170", "1795255170000"]) {
            #expect(try source.read(time) == [.unusable(try MarketID("a"), .badPrice)], "\(source.testDescription)")
        }
    }

    @Test("what is wrong with the price is said first")
    func priceFirst() throws {
        let request = CoinGecko.MarketsPage(currency: try Currency("usd"), content: .named([]), names: [:])
        let rows = try request.decode(
            Data(
                """
                [{"id":"a","current_price":null,"last_updated":"x"},{"id":"b","current_price":0,"last_updated":"x"},
                 {"id":"c","last_updated":"x"}]
                """.utf8)
        )
        #expect(
            rows == [
                .unusable(try MarketID("a"), .nullPrice), .unusable(try MarketID("b"), .badPrice),
                .priceless(try MarketID("c")),
            ])
    }
}
