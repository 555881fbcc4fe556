import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("CoinGecko rows")
struct CoinGeckoRowsTests {
    func decode(_ body: String) throws -> [QuoteRow] {
        let request = CoinGecko.MarketsPage(currency: try Currency("usd"), content: .named([]), names: [:])
        return try request.decode(Data(body.utf8))
    }

    @Test func aWholeRow() throws {
        let rows = try decode(
            """
            [{"id":"bitcoin","symbol":"btc","name":"Bit\\u0063oin","image":"https://x/y.png","current_price":77123.45,
            "market_cap":1530000000000,"market_cap_rank":1,"fully_diluted_valuation":null,"total_volume":2.5e10,
            "high_24h":78000,"low_24h":76000.5,"price_change_24h":-12.5,"price_change_percentage_24h":-1.255,
            "circulating_supply":20030493.0,"max_supply":null,"roi":null,"last_updated":"2026-09-02T20:41:30.123Z"}]
            """)
        let quote = Quote(
            market: try MarketID("bitcoin"), symbol: "btc", name: "Bitcoin", currency: try Currency("usd"),
            price: try #require(Price(parsing: "77123.45")), quotedAt: Date(utcText: "2026-09-02T20:41:30.123Z"),
            reportedChange: Percent(hundredths: -126), volume24h: 25_000_000_000, marketCap: 1_530_000_000_000)
        #expect(rows == [.quote(quote)])
    }

    @Test(arguments: [
        ("0.1", "0.1"), ("1.206e-09", "0.000000001206"), ("77123.45", "77123.45"), ("49053", "49053"), ("1.0", "1"),
        ("123456789.123456789", "123456789.123456789"), ("0.000000000000000001", "0.000000000000000001"),
        ("1E5", "100000"),
        ("1e18", "1000000000000000000"), ("0.12345678901234567850", "0.123456789012345678"),
        ("77123.450000000000000000000000000000000000000001", "77123.45"),
    ])
    func pricesAreTakenDigitForDigit(_ sent: String, _ price: String) throws {
        guard case .quote(let quote)? = try decode(#"[{"id":"a","current_price":\#(sent)}]"#).first else {
            Issue.record("no quote")
            return
        }
        #expect(quote.price.description == price)
    }

    @Test(arguments: [
        ("null", UnknownReason.nullPrice), ("0", .badPrice), ("0.0", .badPrice), ("-1", .badPrice),
        (#""77123.45""#, .badPrice),
        (#""n/a""#, .badPrice), ("true", .badPrice), ("[1]", .badPrice), ("{}", .badPrice), ("1e-19", .badPrice),
        ("1.1e18", .badPrice), ("1e400", .badPrice), ("1e-400", .badPrice),
    ])
    func unusablePricesLeaveTheOtherRowsAlone(_ sent: String, _ reason: UnknownReason) throws {
        let rows = try decode(#"[{"id":"a","current_price":\#(sent)},{"id":"b","current_price":2}]"#)
        #expect(rows.first == .unusable(try MarketID("a"), reason))
        guard case .quote(let quote)? = rows.last else {
            Issue.record("b is lost")
            return
        }
        #expect(quote.price.description == "2")
    }

    @Test func everythingButIDPriceAndTimeMayBeOfAnyForm() throws {
        let rows = try decode(
            """
            [{"id":"a","current_price":1,"symbol":null,"name":7,"market_cap":"big","total_volume":{},
            "price_change_percentage_24h":"up","last_updated":null}]
            """)
        guard case .quote(let quote)? = rows.first else {
            Issue.record("no quote")
            return
        }
        #expect(quote.symbol.isEmpty && quote.name.isEmpty && quote.quotedAt == nil && quote.reportedChange == nil)
        #expect(quote.volume24h == nil && quote.marketCap == nil)
    }

    @Test(
        arguments: [
            ("-1.255", "-1.26"), ("1.255", "1.26"), ("1.2549999999999999", "1.25"), ("1.2450000000000001", "1.25"),
            ("1.005", "1.01"), ("-0.004", "0"), ("0.005", "0.01"), ("0", "0"), ("1.577e+37", nil),
            ("12345678.905", "12345678.91"),
            ("null", nil), (#""1""#, nil),
        ] as [(String, String?)])
    func changesRoundHalfAwayFromZeroOnTheDigitsSent(_ sent: String, _ shown: String?) throws {
        let body = #"[{"id":"a","current_price":1,"price_change_percentage_24h":\#(sent)}]"#
        guard case .quote(let quote)? = try decode(body).first else {
            Issue.record("no quote")
            return
        }
        #expect(quote.reportedChange?.description == shown)
    }

    @Test func rowsWithoutAnIDAreNameless() throws {
        let body = #"[{"current_price":1},{"id":null,"current_price":1},{"id":7},{"id":""},{"id":"a,b"},3,null,[]]"#
        #expect(try decode(body) == Array(repeating: .nameless, count: 8))
    }

    @Test func oddIDsAreIDs() throws {
        let odd = ["bitCNY", "bit_financial", "boringdao-[old]", "_", "two words", "status", "错误"]
        let body = odd.map { #"{"id":"\#($0)","current_price":1}"# }.joined(separator: ",")
        #expect(try decode("[\(body)]").map { $0.market?.text } == odd)
    }

    @Test(arguments: [
        ("", "is empty", true), ("[{\"id\":\"bit", "not valid JSON", true), ("{}", "expected form", false),
        (#"{"bitcoin":{}}"#, "expected form", false), ("null", "expected form", false), ("7", "expected form", false),
        ("[{\"id\":\"a\",\"current_price\":NaN}]", "not valid JSON", true), ("[] trailing", "not valid JSON", true),
    ])
    func otherBodiesAreErrors(_ body: String, _ reason: String, _ retryable: Bool) {
        let error = #expect(throws: UnreadableBody.self) { try decode(body) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.isRetryable == retryable)
    }
}
