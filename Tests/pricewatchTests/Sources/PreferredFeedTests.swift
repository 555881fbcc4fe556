import Engine
import Foundation
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import pricewatch

/// A market that names the first feed as its own, beside a feed that stands by for the others.
@Suite struct PreferredFeedTests {
    private let spare: CoinGeckoSimulator
    private let scene: DaemonScene

    /// Bitcoin is asked of whichever feed serves, tether of the preferred one alone.
    init() throws {
        let time = HandClock()
        spare = CoinGeckoSimulator(now: { time.now() })
        scene = try DaemonScene(
            "watch: {markets: [bitcoin, {id: tether, feed: coingecko}]}\nbuiltin_alerts: false", script: [:],
            feeds: #", {provider: coingecko, name: spare, url: "http://127.0.0.1:2/api/v3"}"#, time: time)
        scene.transport = RoutedTransport(servers: [
            scene.simulator.baseURL: SimulatedTransport(scene.simulator),
            "http://127.0.0.1:2/": SimulatedTransport(spare),
        ])
    }

    @Test("one request asks for both; a standby is not asked for that market, which is missing while it serves")
    func standby() async throws {
        try await scene.start()
        await scene.poll(3)
        #expect(scene.simulator.requestCount == 3 && spare.requestCount == 0)
        #expect(try scene.status().state == .ok)
        scene.simulator.setFaults([.status(500)])
        await scene.poll(5)
        #expect(spare.requestCount == 5)
        #expect(spare.requests.allSatisfy { $0.request.target.contains("ids=bitcoin&") })
        #expect(try scene.status().lastPoll?.feed == "spare")
        #expect(try scene.status().lastPoll?.outcome == .partial)
        #expect(try scene.status().state == .degraded)
        #expect(try scene.status().reasons.map(\.code) == ["standby", "market_missing"])
        #expect(try scene.status().markets.map(\.state) == [.fresh, .missing])
        #expect(try scene.status().markets.last?.reason == .noMapping)
        scene.simulator.setFaults([])
        await scene.poll(10)
        #expect(try scene.status().state == .ok)
        let requests = scene.simulator.requestCount
        await scene.poll(3)
        #expect(scene.simulator.requestCount == requests + 3)
        var feeds: Set<String?> = []
        try HistoryReader(at: scene.database).samples(of: MarketID("tether"), in: .usd, since: nil, until: nil) {
            feeds.insert($0.feed)
        }
        #expect(feeds == ["coingecko"])
        await scene.stop()
    }

    @Test("after a restart the coverage is what it was: the time in which a standby served was watched")
    func coverage() async throws {
        func coverage() async throws -> String {
            let report = try #require(await scene.daemon?.engine.status(at: scene.time.moment))
            return report.summary.coverage.description
        }
        try await scene.start()
        await scene.poll(3)
        scene.simulator.setFaults([.status(500)])
        await scene.poll(60)
        let before = try await coverage()
        // 63 minutes of a day.
        #expect(before == "4.3")
        await scene.stop()
        try await scene.start()
        #expect(try await coverage() == before)
        await scene.stop()
    }
}
