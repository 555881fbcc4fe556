import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Binance, the past")
struct BinancePastTests {
    static let now = Date(utcText: "2026-11-21T10:00:00Z") ?? .distantPast

    private func page(_ from: Duration, _ to: Duration) throws -> PastPage {
        let entry = Watch.Entry(try MarketID("bitcoin"), providerID: "BTCUSDT")
        return try #require(
            Binance().pastPage(
                of: entry, in: try Currency("usd"), (Self.now - from)..<(Self.now - to), now: Self.now))
    }

    @Test(
        "candles are as fine as one request can bring",
        arguments: [
            (Duration.hours(6), Duration.zero, Duration.hours(6), Duration.minutes(1)),
            (.hours(24), .zero, .hours(24), .minutes(5)),
            (.hours(24 * 30), .hours(24), .hours(24 * 30), .hours(1)),
            (.hours(24 * 90), .hours(24), .hours(999 + 24), .hours(1)),
        ])
    func lengths(from: Duration, to: Duration, reaches: Duration, step: Duration) throws {
        let page = try page(from, to)
        #expect(page.span == (Self.now - reaches)..<(Self.now - to))
        #expect(page.step == step)
    }

    @Test func `the request names symbol, length and times`() throws {
        let url = try page(.hours(6), .hours(5)).request.url(below: try BaseURL("http://127.0.0.1:9"), key: nil)
        #expect(
            url == "http://127.0.0.1:9/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=1795233540000"
                + "&endTime=1795237200000&limit=1000")
    }

    @Test func `the close of a candle that is over and was traded is a price, nothing else is`() throws {
        let text = """
            [[1795233600000,"1.0","9.0","0.5","2.50000000","10.0",1795233659999,"25.0",4,"5.0","12.0","0"],
             [1795233660000,"2.5","2.5","2.5","2.50000000","0.0",1795233719999,"0.0",0,"0","0","0"],
             [1795233720000,"2.5","2.5","2.5","0.00000000","1.0",1795233779999,"0.0",1,"0","0","0"],
             [1795233780000,"2.5"],null,{"code":1},
             [1795255190000,"2.5","2.5","2.5","3.00000000","1.0",1795255249999,"0.0",2,"0","0","0"]]
            """
        let request = try #require(try page(.hours(6), .zero).request as? Binance.Candles)
        let quotes = try request.decode(Data(text.utf8))
        #expect(
            quotes == [
                PastQuote(quotedAt: Date(milliseconds: 1_795_233_659_999), price: try #require(Price(parsing: "2.5")))
            ])
        #expect(throws: UnreadableBody.self) { try request.decode(Data(#"{"code":-1121}"#.utf8)) }
    }

    @Test(arguments: ["\"x\"", "null", "\"\"", "0", "-1", "1e300", "1795233659", "\"1795233659999\"", "{}"])
    func `a candle whose closing time cannot be read is left out`(_ time: String) throws {
        let text = """
            [[1795233600000,"1","1","1","2","10",\(time),"25",4],[1795233660000,"1","1","1","3","10",1795233719999,"25",4]]
            """
        let request = try #require(try page(.hours(6), .zero).request as? Binance.Candles)
        #expect(try request.decode(Data(text.utf8)).map(\.price.description) == ["3"])
    }
}
