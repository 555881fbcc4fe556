import Engine
import Foundation
import History
import Markets
import Testing

@testable import pricewatch

/// Prices that jump between two polls, through the whole daemon: simulated provider, database, status, log, restarts.
@Suite struct LargeMoveTests {
    private static let rules = """
        watch: {markets: [bitcoin]}
        builtin_alerts: false
        alerts:
          - {name: high, market: bitcoin, above: 1000}
          - {name: low, market: bitcoin, below: 50}
          - {name: moves, market: bitcoin, moves: 30%, within: 2m}
        """
    private static let quiet = ["100", "100.5", "101", "100"]

    private func scene(_ prices: [String], confirm: String = "20%") throws -> DaemonScene {
        let path = (Self.quiet + prices).compactMap { Price(parsing: $0) }
        return try DaemonScene(Self.rules, script: [try MarketID("bitcoin"): path], confirmMovesOver: confirm)
    }

    private func samples(_ scene: DaemonScene) throws -> [String] {
        var found: [String] = []
        try HistoryReader(at: scene.database).samples(
            of: try MarketID("bitcoin"), in: .usd, since: nil, until: nil
        ) { found.append("\($0.price)\($0.confirmed ? "" : "*")") }
        return Array(found.dropFirst(Self.quiet.count))
    }

    private func events(_ scene: DaemonScene) throws -> [AlertEvent] {
        try HistoryReader(at: scene.database).events(since: .distantPast)
    }

    private func shown(_ scene: DaemonScene) throws -> String {
        let market = try #require(try scene.status().markets.first)
        return "\(market.price?.description ?? "-") \(market.state) \(market.reason?.rawValue ?? "-")"
    }

    private func logged(_ scene: DaemonScene) -> [String] {
        scene.log.split(separator: "\n").map(String.init).filter { $0.contains(" price.") }.map {
            String($0.dropFirst(25)).components(separatedBy: " quoted_at=")[0]
        }
    }

    @Test(
        "one price of a thousand times the right one fires nothing, and the history has it", arguments: [false, true])
    func badPrice(restarting: Bool) async throws {
        let scene = try scene(["100000", "100.2", "100.1"])
        try await scene.start()
        await scene.poll(5)
        #expect(try shown(scene) == "100 fresh unconfirmed")
        #expect(try samples(scene) == ["100000*"])
        if restarting {
            await scene.stop()
            try await scene.start()
        }
        await scene.poll()
        #expect(try shown(scene) == "100.2 fresh -")
        await scene.poll()
        #expect(try samples(scene) == ["100000*", "100.2", "100.1"])
        #expect(try events(scene).isEmpty)
        #expect(
            logged(scene) == [
                "warning price.unconfirmed market=bitcoin price=100000 trusted=100",
                "warning price.rejected market=bitcoin price=100000 trusted=100",
            ])
        var highest: [Price] = []
        try HistoryReader(at: scene.database).candles(
            of: try MarketID("bitcoin"), in: .usd, every: .hours(1), since: nil, until: nil
        ) { highest.append($0.high) }
        #expect(highest.map(\.description) == ["101"])
        await scene.stop()
    }

    @Test("a crash of 60 % that stays fires one poll later", arguments: [false, true])
    func crash(restarting: Bool) async throws {
        let scene = try scene(["40", "40.1", "40", "40"])
        try await scene.start()
        await scene.poll(5)
        #expect(try events(scene).isEmpty)
        if restarting {
            await scene.stop()
            try await scene.start()
        }
        let moment = scene.time.now()
        await scene.poll()
        #expect(try events(scene).map(\.rule) == ["low", "moves"])
        #expect(try events(scene).map(\.at) == [moment, moment])
        #expect(try events(scene).map { $0.price?.description } == ["40.1", "40.1"])
        #expect(try samples(scene) == ["40", "40.1"])
        #expect(logged(scene).last == "info price.confirmed market=bitcoin price=40 trusted=100")
        await scene.stop()
    }

    @Test("a price that stood for long is still a measure after a restart", arguments: [false, true])
    func restartAfterQuiet(restarting: Bool) async throws {
        let scene = try DaemonScene(
            Self.rules, script: [try MarketID("bitcoin"): ["100", "2000"].compactMap { Price(parsing: $0) }],
            stepsEvery: .minutes(10))
        try await scene.start()
        await scene.poll(10)
        if restarting {
            await scene.stop()
            try await scene.start()
        }
        await scene.poll()
        #expect(try shown(scene) == "100 fresh unconfirmed")
        #expect(try events(scene).isEmpty)
        await scene.stop()
    }

    @Test("null believes every move at once")
    func off() async throws {
        let scene = try scene(["40"], confirm: "null")
        try await scene.start()
        await scene.poll(5)
        #expect(try events(scene).map(\.rule) == ["low", "moves"])
        #expect(try samples(scene) == ["40"])
        await scene.stop()
    }

    @Test("many markets that jump together are one line in the log")
    func together() async throws {
        let ids = (1...20).map { "coin-\($0)" }
        var script: [MarketID: [Price]] = [:]
        for id in ids { script[try MarketID(id)] = ["100", "3", "3", "90", "91"].compactMap { Price(parsing: $0) } }
        let scene = try DaemonScene("watch: {markets: [\(ids.joined(separator: ", "))]}", script: script)
        try await scene.start()
        await scene.poll(5)
        #expect(
            logged(scene)
                == ["unconfirmed", "confirmed", "unconfirmed", "confirmed"].map {
                    #"warning price.\#($0) count=20 message="coin-1, coin-2, coin-3 and 17 more""#
                })
        await scene.stop()
    }
}
