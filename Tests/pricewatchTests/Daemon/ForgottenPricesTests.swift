import Foundation
import History
import Markets
import Testing

@testable import Engine
@testable import pricewatch

/// Prices deleted by `forget` beside the daemon.
@Suite struct ForgottenPricesTests {
    private static let rules = """
        watch: {markets: [bitcoin]}
        builtin_alerts: false
        alerts: [{name: drop, market: bitcoin, falls: 10%, within: 5m}]
        """

    /// A day ago the price was 50; six polls of 100 follow, then some of 88.
    @Test("windows, 24 h change and open candles forget them, too, before the next poll", arguments: [false, true])
    func forgotten(isForgotten: Bool) async throws {
        let market = try MarketID("bitcoin")
        let path = (Array(repeating: "100", count: 6) + ["88", "88.1"]).compactMap { Price(parsing: $0) }
        let scene = try DaemonScene(Self.rules, script: [market: path])
        let yesterday = scene.time.now() - .hours(24)
        let writer = try HistoryWriter(at: scene.database)
        for minute in 0..<10 {
            let at = yesterday + .minutes(minute)
            let sample = Sample(
                market: market, symbol: "btc", name: "Bitcoin", price: try #require(Price(parsing: "50")), quotedAt: at)
            try writer.record(
                PollRecord(
                    at: at, fetchedAt: at, feed: "coingecko", currency: .usd, outcome: .ok, samples: [sample],
                    watched: WatchedMarkets([market], currencies: .init(.usd))))
        }
        try writer.close()
        try await scene.start()
        await scene.poll(6)
        #expect(try scene.status().markets.first?.basis == .recorded)
        if isForgotten { try ForgetDatabase(at: scene.database).forget(market, before: nil) }
        await scene.poll(2)
        #expect(scene.log("alert.firing").count == (isForgotten ? 0 : 1))
        #expect((try scene.status().markets.first?.basis == .recorded) == !isForgotten)
        var candles: [Candle] = []
        try HistoryReader(at: scene.database).candles(
            of: market, in: .usd, every: .hours(1), since: nil, until: nil
        ) { candles.append($0) }
        #expect(candles.map { "\($0.high)" } == (isForgotten ? ["88.1"] : ["50", "100"]))
        await scene.stop()
    }
}
