import Foundation
import HTTP
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

/// A portfolio through the whole daemon: provider, database, status file, restarts.
@Suite struct PortfolioDaemonTests {
    static let watch = "watch: {markets: [{id: savings, holds: {bitcoin: 0.5, ethereum: 3}, cost: 25000}]}\n"

    /// The last price of bitcoin stays.
    private func scene(
        _ rules: String = "", bitcoin: [String], ethereum: [String] = ["2000"], seed: UInt64 = 1
    ) throws -> DaemonScene {
        try DaemonScene(
            Self.watch + rules,
            script: [
                try MarketID("bitcoin"): (bitcoin + Array(repeating: bitcoin.last ?? "", count: 200))
                    .compactMap { Price(parsing: $0) },
                try MarketID("ethereum"): ethereum.compactMap { Price(parsing: $0) },
            ], seed: seed)
    }

    private func market(_ id: String, _ scene: DaemonScene) throws -> StatusReport.Market {
        try #require(try scene.status().markets.first { $0.market.text == id })
    }

    private func samples(_ scene: DaemonScene) throws -> [String] {
        var found: [String] = []
        try HistoryReader(at: scene.database).samples(
            of: try MarketID("savings"), in: .usd, since: nil, until: nil
        ) { found.append("\($0.price)\($0.confirmed ? "" : "?") \($0.feed ?? "-")") }
        return found
    }

    private func events(_ scene: DaemonScene) throws -> [AlertEvent] {
        try HistoryReader(at: scene.database).events(since: .distantPast)
    }

    @Test("its parts are watched, it is recorded and shown with value, cost and gain, and it counts in the summary")
    func shown() async throws {
        let scene = try scene(bitcoin: ["60000", "61000"])
        try await scene.start()
        await scene.poll(2)
        let savings = try market("savings", scene)
        #expect(savings.state == .fresh && savings.price == Price(parsing: "36500") && savings.feed == "coingecko")
        #expect(savings.cost == 25_000 && savings.gain == 11_500 && savings.gainPercent == Percent(hundredths: 4600))
        #expect(try market("bitcoin", scene).gain == nil && market("ethereum", scene).cost == nil)
        #expect(scene.statusText.contains(#""cost":"25000","gain":"11500","gain_percent":46"#))
        #expect(scene.statusText.contains(#""cost":null,"gain":null,"gain_percent":null"#))
        #expect(try samples(scene) == ["36000 coingecko", "36500 coingecko"])
        // The provider was asked for its parts alone.
        #expect(try scene.status().lastPoll?.markets == 2)
        #expect(scene.log("poll.ok").count == 2)
        scene.time.step(.hours(24) - .minutes(1))
        await scene.poll()
        #expect(try market("savings", scene).basis == .recorded)
        let summary = try scene.status().summary
        #expect(summary.up + summary.down + summary.flat + summary.unknown == 3 && summary.unknown == 0)
        let view = StatusView(
            status: try scene.status(), verdict: StatusVerdict(try scene.status(), alive: true, file: "", now: .now),
            terminal: Terminal(isTerminal: false, isUTF8: true, width: 80), zone: .utc, now: scene.time.now())
        #expect(view.lines.contains("savings: value 36,500 usd, cost 25,000 usd, gain +11,500 (+46 %)"))
        await scene.stop()
    }

    @Test("it is unknown with the first part, which alone has the built-in alerts")
    func unknown() async throws {
        let scene = try scene(bitcoin: ["60000"])
        try await scene.start()
        await scene.poll(2)
        scene.simulator.setFaults([.missing([try MarketID("ethereum")])])
        await scene.poll(4)
        let savings = try market("savings", scene)
        #expect(savings.state == .unknown && savings.reason == .incomplete && savings.price == nil)
        #expect(savings.gain == nil && savings.gainPercent == nil && savings.cost == 25_000)
        #expect(try scene.status().reasons.map(\.message).contains("unknown: savings"))
        #expect(try events(scene).map { "\($0.rule) \($0.market)" } == ["market-missing ethereum"])
        #expect(try samples(scene).count == 2)
        await scene.stop()
        try await scene.start()
        await scene.poll(4)
        #expect(try events(scene).count == 1)
        var polled: [PolledMarket.Finding] = []
        try HistoryReader(at: scene.database).polls(
            of: try MarketID("savings"), in: .usd, since: .distantPast, until: .distantFuture
        ) { polled.append($0.finding) }
        #expect(polled.suffix(8) == Array(repeating: .nothing, count: 8)[...])
        await scene.stop()
    }

    @Test("its file is judged with age as its parts are")
    func aged() async throws {
        let scene = try scene(bitcoin: ["60000"])
        try await scene.start()
        await scene.poll()
        func savings(after age: Duration) throws -> StatusReport.Market? {
            try StatusSource(try scene.configuration, now: scene.time.now()).report(at: scene.time.now() + age)
                .markets.first { $0.market.text == "savings" }
        }
        #expect(try savings(after: .minutes(13))?.price == Price(parsing: "36000"))
        let old = try #require(try savings(after: .minutes(16)))
        #expect(old.state == .unknown && old.reason == .incomplete && old.price == nil && old.gain == nil)
        #expect(old.cost == 25_000)
        // Of a daemon that is gone, from the history.
        await scene.stop()
        try FileManager.default.removeItem(atPath: scene.files.folder + "/status.json")
        #expect(try savings(after: .minutes(5))?.price == Price(parsing: "36000"))
        #expect(try savings(after: .minutes(16))?.reason == .incomplete)
    }

    @Test("it is rehearsed as it was live, and before it is in use")
    func rehearsed() async throws {
        let rules = "alerts: [{name: fell, market: savings, falls: 5%, within: 10m}]\n"
        let prices = Array(repeating: "60000", count: 12) + ["54000"]
        let (live, other) = (try scene(rules, bitcoin: prices), try scene(bitcoin: prices))
        for scene in [live, other] {
            try await scene.start()
            await scene.poll(14)
            await scene.stop()
        }
        let announced = try events(live)
        #expect(announced.count == 1)
        let configurations = [
            (live, Self.watch + rules),
            (other, Self.watch.replacing("savings", with: "more") + rules.replacing("savings", with: "more")),
            (live, Self.watch.replacing("0.5", with: "50") + rules),
        ]
        for (scene, text) in configurations {
            let configuration = try scene.files.reading(text).configuration
            let report = try RehearsalReport(
                playing: try HistoryReader(at: scene.database), through: configuration.alertRules, configuration,
                since: .distantPast)
            let rehearsed = report.rules.first { $0.rule.name == "fell" }
            #expect(rehearsed?.events.map(\.at) == announced.map(\.at))
            #expect(rehearsed?.hint == nil)
        }
        #expect(announced.first?.price == Price(parsing: "33000"))
    }

    @Test("no provider has its past: backfill names its parts; find and forget know it")
    func commands() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[{id: savings, holds: {bitcoin: 0.5, ethereum: 3}}]")
        #expect(try await installation.run("run", "--once").exit == 0)
        let refused = try await installation.run("backfill", "savings")
        #expect(refused.exit == 65)
        #expect(refused.errors.contains("savings: it is a portfolio") && refused.errors.contains("bitcoin ethereum"))
        let before = simulator.requestCount
        #expect(try await installation.run("backfill").exit == 0)
        #expect(simulator.requestCount == before + 2)
        #expect(try await installation.run("history", "savings").output.contains(" usd"))
        #expect(try await installation.run("chart", "savings").exit == 0)
        #expect(try await installation.run("check", "--online").output.contains("portfolio:     savings: 0.5 bitcoin"))
        let found = try await installation.run("find", "savings")
        #expect(found.errors.contains("savings is a portfolio of the configuration: 0.5 bitcoin, 3 ethereum"))
        let forgotten = try await installation.run("forget", "savings", "--yes")
        #expect(forgotten.output.hasPrefix("deleted 1 sample and 0 candles of savings"), "\(forgotten.output)")
        #expect(try await installation.run("run", "--once").exit == 0)
        #expect(try await installation.run("history", "savings").exit == 0)
        await simulator.stop()
    }

    @Test("an alert on it goes on exactly after each restart", arguments: [1, 5, 8] as [UInt64])
    func restarts(seed: UInt64) async throws {
        let rules = """
            alerts:
              - {name: level, market: savings, above: 36100, clear: 36000, for: 2m, repeat: 9m}
              - {name: edge, market: savings, outside: [35800, 36200], keep_firing_for: 3m}
              - {name: falls, market: savings, falls: 0.8%, within: 10m}
              - {name: low, market: savings, new_low: 15m}
              - {name: first, market: savings, above: 36150, once: true}
            """
        var said: [[String]] = []
        for restarts in [false, true] {
            var state = seed &* 0x9E37_79B9_7F4A_7C15
            let prices = (0..<90).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return "\(59_400 + (state >> 33) % 1_200)"
            }
            let scene = try scene(rules, bitcoin: prices, seed: seed)
            try await scene.start()
            for _ in 0..<90 {
                await scene.poll()
                guard restarts else { continue }
                await scene.stop()
                try await scene.start()
            }
            said.append(
                try events(scene).map {
                    "\($0.at.utcText) \($0.rule) \($0.kind.rawValue) \($0.reason.rawValue) "
                        + "\($0.price?.description ?? "-") \($0.since?.utcText ?? "-")"
                })
            await scene.stop()
        }
        #expect(said[0] == said[1])
        #expect(Set(said[0].map { $0.split(separator: " ")[1] }).count == 5, "\(said[0])")
    }
}
