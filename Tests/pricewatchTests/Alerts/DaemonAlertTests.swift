import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// Alerts through the whole daemon: simulated provider, database, status file, restarts.
@Suite struct DaemonAlertTests {
    private func prices(_ texts: String...) -> [Price] { texts.compactMap { Price(parsing: $0) } }

    private func words(_ scene: DaemonScene) throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.rule) \($0.market) \($0.kind.rawValue)"
        }
    }

    @Test("feed-stale fires while polls fail, also across a restart, and resolves with the first good answer")
    func feedStale() async throws {
        let scene = try DaemonScene(
            "watch: {markets: [bitcoin]}", script: [try MarketID("bitcoin"): prices("2")])
        try await scene.start()
        await scene.poll()
        scene.simulator.setFaults([.status(500)])
        await scene.poll(5)
        await scene.stop()
        try await scene.start()
        await scene.poll(4)
        #expect(try words(scene) == [])
        await scene.poll(2)
        #expect(try words(scene) == ["feed-stale coingecko firing"])
        let firing = try #require(try scene.status().firing.first)
        #expect(firing.market.text == "coingecko" && firing.severity == .critical && firing.price == nil)
        await scene.stop()
        try await scene.start()
        await scene.poll(3)
        scene.simulator.setFaults([])
        await scene.poll()
        #expect(try words(scene) == ["feed-stale coingecko firing", "feed-stale coingecko resolved"])
        await scene.stop()
    }

    @Test("market-stale and market-missing are about named markets alone")
    func namedMarkets() async throws {
        let scene = try DaemonScene(
            "watch: {markets: [bitcoin, no-such-market], top: 5}",
            script: [try MarketID("bitcoin"): prices("2")])
        try await scene.start()
        await scene.poll(2)
        await scene.stop()
        try await scene.start()
        #expect(try words(scene) == [])
        await scene.poll()
        #expect(try words(scene) == ["market-missing no-such-market firing"])
        await scene.poll(2)
        scene.simulator.setFaults([.status(500)])
        await scene.poll(25)
        #expect(
            try Set(words(scene).dropFirst()) == ["feed-stale coingecko firing", "market-stale bitcoin firing"])
        await scene.stop()
    }

    @Test(
        "a silence that another program sets holds from the next poll on; after its end one message says what still fires"
    )
    func silence() async throws {
        let scene = try DaemonScene(
            "watch: {markets: [bitcoin]}\nbuiltin_alerts: false\nalerts: [{name: high, market: bitcoin, above: 10}]",
            script: [try MarketID("bitcoin"): prices("9.5", "11", "12", "13", "14", "15")])
        try await scene.start()
        await scene.poll()
        let desk = try CommandDatabase(at: scene.database)
        let until = scene.time.now() + .hours(1)
        try desk.silence(rule: "high", market: nil, from: scene.time.now(), until: until)
        await scene.poll(2)
        let reader = try HistoryReader(at: scene.database)
        #expect(try reader.events(since: .distantPast).map(\.silencedUntil) == [until])
        await scene.stop()
        try await scene.start()
        #expect(try desk.end(rule: "high", at: scene.time.now()) == 1)
        await scene.poll(2)
        let events = try reader.events(since: .distantPast)
        #expect(events.map(\.kind) == [.firing, .reminder])
        #expect(events.last?.reason == .silenceEnded)
        #expect(events.last?.silencedUntil == nil)
        #expect(try reader.silences() == [])
        #expect(try reader.activeEvents().map(\.kind) == [.reminder])
        await scene.stop()
    }

    @Test("after downtime what fired is not announced again, and what changed is announced once, with how late")
    func downtime() async throws {
        let scene = try DaemonScene(
            """
            watch: {markets: [bitcoin]}
            builtin_alerts: false
            alerts:
              - {name: low, market: bitcoin, above: 1}
              - {name: high, market: bitcoin, above: 10}
            """, script: [try MarketID("bitcoin"): prices("9", "11", "12")])
        try await scene.start()
        await scene.poll()
        await scene.stop()
        scene.time.step(.hours(2))
        try await scene.start()
        await scene.poll()
        let events = try HistoryReader(at: scene.database).events(since: .distantPast)
        #expect(events.map(\.rule) == ["low", "high"])
        #expect(events.map(\.lateSeconds) == [nil, 7260])
        await scene.stop()
    }

    @Test("what has grown stale during a wait stays so across a restart")
    func restartDuringWait() async throws {
        let scene = try DaemonScene(
            "watch: {markets: [bitcoin]}", script: [try MarketID("bitcoin"): prices("2")])
        try await scene.start()
        await scene.poll()
        scene.simulator.setFaults([.status(429, retryAfter: 7200)])
        await scene.poll(30)
        #expect(try words(scene).first == "feed-stale coingecko firing")
        let before = try words(scene)
        await scene.stop()
        try await scene.start()
        await scene.poll(3)
        #expect(try words(scene) == before)
        await scene.stop()
    }
}
