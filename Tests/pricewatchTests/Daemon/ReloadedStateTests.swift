import Engine
import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Feeds
@testable import pricewatch

/// What a daemon that reads its configuration again must not forget.
@Suite struct ReloadedStateTests {
    private func scene(_ more: String = "", feeds: String = "") throws -> DaemonScene {
        try DaemonScene(
            "watch: {markets: [bitcoin]}\n\(more)",
            script: [try MarketID("bitcoin"): ["70000"].compactMap { Price(parsing: $0) }], feeds: feeds)
    }

    @Test("a daemon that is reloaded before its first poll is still starting")
    func starting() async throws {
        let scene = try scene()
        try await scene.start()
        try await scene.reload(scene.rules)
        #expect(try scene.status().state == .starting)
        await scene.poll()
        try await scene.reload(scene.rules)
        #expect(try scene.status().state == .ok)
        await scene.stop()
    }

    @Test("the standby goes on serving, the preferred feed on cooling down, and nothing is logged again")
    func standby() async throws {
        let other = CoinGeckoSimulator()
        let scene = try scene(feeds: #", {provider: coingecko, name: second, url: "http://127.0.0.1:2/api/v3"}"#)
        scene.transport = RoutedTransport(servers: [
            scene.simulator.baseURL: SimulatedTransport(scene.simulator),
            "http://127.0.0.1:2/": SimulatedTransport(other),
        ])
        try await scene.start()
        scene.simulator.setFaults([.status(500)])
        await scene.poll()
        #expect(scene.log("feed.switched").count == 1)
        for _ in 0..<3 {
            try await scene.reload(scene.rules)
            await scene.poll()
        }
        #expect(scene.log("feed.switched").count == 1)
        #expect(scene.simulator.requestCount < 4)
        #expect(try scene.status().lastPoll?.feed == "second")
        await scene.stop()
    }

    @Test("that nothing is recorded is logged once")
    func notRecording() async throws {
        let scene = try scene()
        try await scene.start()
        await scene.poll()
        let refusal = try WriteRefusal(scene.database)
        for _ in 0..<3 {
            await scene.poll()
            try await scene.reload(scene.rules)
        }
        #expect(scene.log("history.not_recording").count == 1)
        try refusal.lift()
        await scene.poll(2)
        #expect(scene.log("history.recording").count == 1)
        await scene.stop()
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
        var environment = DaemonEnvironment(variables: [:], host: "box")
        environment.now = { Moment(wall: Told.now, uptime: .zero, awake: .zero) }
        let first = try Parts(reading, environment)
        try first.history.close()
        let wait = StoredCooldown(
            until: Told.now + .hours(1), namedUntil: Told.now + .hours(1), cause: .rateLimited, message: "429",
            since: Told.now, count: 1, mark: 7)
        await first.memory.keep(wait, of: "coingecko")
        let month = UTCMonth(Told.now)
        for _ in 0..<3 { _ = await first.memory.countRequest(of: "coingecko", in: month) }
        let (second, _) = try first.reloaded(reading)
        #expect(await second.memory.wait(of: "coingecko") == wait)
        #expect(await second.memory.requests(of: "coingecko", in: month) == 3)
        await (second.transport as? NetworkTransport)?.shutdown()
    }

    @Test("`log.format` holds for standard error, too, after a reload as before")
    func format() async throws {
        let files = try ConfigurationScene()
        func reading(_ format: String) throws -> ConfigurationReading {
            try files.reading(
                """
                feeds: [{provider: coingecko, url: "http://127.0.0.1:9"}]
                history: {database: \(files.folder)/history.db}
                status_file: \(files.folder)/status.json
                log: {file: null, format: \(format)}
                """)
        }
        let (text, json) = (Lines(), Lines())
        var environment = DaemonEnvironment(variables: [:], host: "box")
        environment.outlet = { $0 == .text ? text : json }
        let first = try Parts(reading("text"), environment)
        let (second, _) = try first.reloaded(reading("json"))
        first.log.write(LogLine(.info, "before"))
        second.log.write(LogLine(.info, "after"))
        #expect(text.all.map(\.event) == ["before"] && json.all.map(\.event) == ["after"])
        try second.history.close()
        await (second.transport as? NetworkTransport)?.shutdown()
    }
}
