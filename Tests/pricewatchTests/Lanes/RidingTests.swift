import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// Markets that are asked of the preferred feed alone, beside a feed that stands in for the others.
@Suite struct RidingTests {
    /// Bitcoin is asked of whichever feed serves, tether of the preferred one alone.
    private func scene() async throws -> (CycleScene, spare: CoinGeckoSimulator) {
        let time = HandClock()
        let spare = try await CoinGeckoSimulator.start(now: { time.now() })
        let scene = try await CycleScene(
            "watch: {markets: [bitcoin, {id: tether, feed: coingecko}]}\nbuiltin_alerts: false", script: [:],
            feeds: #", {provider: coingecko, name: spare, url: "\#(spare.baseURL)"}"#, time: time)
        return (scene, spare)
    }

    @Test("one request brings both; while another stands in, the market that is not its own is not asked of it")
    func standsIn() async throws {
        let (scene, spare) = try await scene()
        func status() throws -> StatusDocument { try StatusDocument(parsing: Data(scene.status.utf8)) }
        try await scene.start()
        await scene.poll(3)
        #expect(scene.simulator.requestCount == 3 && spare.requestCount == 0)
        #expect(try status().state == "ok")
        scene.simulator.setFaults([.status(500)])
        await scene.poll(5)
        #expect(spare.requestCount == 5)
        #expect(spare.requests.allSatisfy { $0.request.target.contains("ids=bitcoin&") })
        #expect(try status().lastPoll?.feed == "spare")
        #expect(try status().lastPoll?.outcome == "partial")
        #expect(try status().reasons?.map(\.code) == ["poll_failed", "standby"].reversed())
        #expect(try status().markets?.map(\.state) == ["fresh", "fresh"])
        scene.simulator.setFaults([])
        await scene.poll(10)
        #expect(try status().state == "ok")
        let requests = scene.simulator.requestCount
        await scene.poll(3)
        #expect(scene.simulator.requestCount == requests + 3)
        var feeds: Set<String?> = []
        try HistoryReader(at: scene.database).samples(of: MarketID("tether"), in: .usd, since: nil, until: nil) {
            feeds.insert($0.feed)
        }
        #expect(feeds == ["coingecko"])
        await scene.finish()
        await spare.stop()
    }

    @Test(
        "after a restart the coverage is what it was: of a market that is not its own, the other feed's polls say nothing"
    )
    func coverage() async throws {
        let (scene, spare) = try await scene()
        func coverage() async throws -> String? {
            await scene.cycle?.showChange()
            return try StatusDocument(parsing: Data(scene.status.utf8)).summary?.coverage.description
        }
        try await scene.start()
        await scene.poll(3)
        scene.simulator.setFaults([.status(500)])
        await scene.poll(60)
        let before = try await coverage()
        #expect(before == "2.2")
        await scene.stop()
        try await scene.start()
        #expect(try await coverage() == before)
        await scene.finish()
        await spare.stop()
    }
}
