import Foundation
import HTTP
import MarketSimulator
import Markets
import Testing

@testable import Feeds

@Suite("A poll of the simulated market")
struct SimulatedMarketTests {
    @Test func bringsThePricesOfTheNamedAndTheLargest() async throws {
        let market = try await CoinGeckoSimulator.start()
        let network = try NetworkTransport()
        let feed = Feed(
            FeedClient(
                CoinGecko(plan: .public), try environment(market.baseURL), transport: network,
                memory: TransientMemory()))
        let watch = Watch(try ids("bitcoin", "no-such-coin"), top: 20, currency: try Currency("usd"))
        let report = try await feed.poll(watch, within: .seconds(10))
        await network.shutdown()
        await market.stop()
        guard case .answered(let answer) = report.outcome else {
            Issue.record("\(report)")
            return
        }
        #expect(report.requests == 2)
        #expect(answer.ranking == market.markets.prefix(20).map(\.id))
        #expect(answer.missing == (try ids("no-such-coin")))
        #expect(answer.quotes.count == 20)
        // Each request is a step of the walk; the newer price of bitcoin, asked by name too, is the second.
        for quote in answer.quotes {
            #expect(quote.price == market.price(of: quote.market, step: 1))
        }
    }
}
