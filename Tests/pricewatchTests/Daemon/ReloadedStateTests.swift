import Engine
import Feeds
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// What a daemon that reads its configuration again must not forget.
@Suite struct ReloadedStateTests {
    private func scene(_ more: String = "", feeds: String = "") async throws -> CycleScene {
        try await CycleScene(
            "watch: {markets: [bitcoin]}\n\(more)",
            script: [try MarketID("bitcoin"): ["70000"].compactMap { Price(parsing: $0) }], feeds: feeds)
    }

    private func count(_ event: String, in scene: CycleScene) -> Int {
        scene.log.split(separator: "\n").count { $0.contains(" \(event)") }
    }

    @Test("a daemon that is reloaded before its first turn is still starting")
    func starting() async throws {
        let scene = try await scene()
        try await scene.start()
        try await scene.reload(scene.rules)
        await scene.cycle?.showChange()
        #expect(try StatusDocument(parsing: Data(scene.status.utf8)).state == "starting")
        await scene.poll()
        try await scene.reload(scene.rules)
        await scene.cycle?.showChange()
        #expect(try StatusDocument(parsing: Data(scene.status.utf8)).state == "ok")
        await scene.finish()
    }

    @Test("the standby goes on serving, the preferred feed on cooling down, and nothing is told again")
    func standby() async throws {
        let other = try await CoinGeckoSimulator.start()
        let scene = try await scene(feeds: ", {provider: coingecko, name: second, url: \"\(other.baseURL)\"}")
        try await scene.start()
        scene.simulator.setFaults([.status(500)])
        await scene.poll()
        #expect(count("feed.switched", in: scene) == 1)
        for _ in 0..<3 {
            try await scene.reload(scene.rules)
            await scene.poll()
        }
        #expect(count("feed.switched", in: scene) == 1)
        #expect(scene.simulator.requestCount < 4)
        #expect(try StatusDocument(parsing: Data(scene.status.utf8)).lastPoll?.feed == "second")
        await scene.finish()
        await other.stop()
    }

    @Test("that nothing is recorded is told once")
    func notRecording() async throws {
        let scene = try await scene()
        try await scene.start()
        await scene.poll()
        let refusal = try WriteRefusal(scene.database)
        for _ in 0..<3 {
            await scene.poll()
            try await scene.reload(scene.rules)
        }
        #expect(count("history.not_recording", in: scene) == 1)
        try refusal.lift()
        await scene.poll(2)
        #expect(count("history.recording", in: scene) == 1)
        await scene.finish()
    }

    @Test("waits and counts that could not be written are kept")
    func notes() async throws {
        let files = try ConfigurationScene()
        let reading = try files.reading(
            """
            feeds: [{provider: coingecko, url: "http://127.0.0.1:9"}]
            history: {database: \(files.folder)/history.db}
            status_file: \(files.folder)/status.json
            """)
        let surroundings = Assembly.Surroundings(
            environment: [:], host: "box", now: { Told.now }, outlet: nil, staysAlive: false)
        let first = try await Assembly(reading, surroundings)
        await first.cycle.close()
        let wait = FeedWait(
            until: Told.now + .hours(1), namedUntil: Told.now + .hours(1), cause: .rateLimited, message: "429",
            since: Told.now, count: 1, mark: 7)
        await first.notebook.keep(wait, of: "coingecko")
        let month = UTCMonth(Told.now)
        for _ in 0..<3 { _ = await first.notebook.countRequest(of: "coingecko", in: month) }
        let second = try await Assembly(reading, succeeding: first)
        #expect(await second.notebook.wait(of: "coingecko") == wait)
        #expect(await second.notebook.requests(of: "coingecko", in: month) == 3)
        await second.finish()
    }
}
