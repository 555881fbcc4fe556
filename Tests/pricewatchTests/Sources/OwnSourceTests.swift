import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// Feeds that single markets have for their own, through the whole daemon.
@Suite struct OwnSourceTests {
    private static let high = "builtin_alerts: false\nalerts: [{name: high, market: bitcoin, above: 1}]"
    private static let waiting = "builtin_alerts: false\nalerts: [{name: high, market: AAPL, above: 100, for: 40m}]"

    /// Starts a cycle, and returns it when all have answered but the server of AAPL, which hangs.
    private func cycle(
        of daemon: Daemon, _ sources: SourceScene, until server: HangingTransport
    ) async throws -> Task<Void, Never> {
        let cycle = Task {
            await daemon.take(.woke)
            await daemon.drain()
        }
        await server.waitUntilAsked()
        try await eventually("what the others answered") {
            (try? sources.market("bitcoin"))??.price?.description == "70000"
        }
        return cycle
    }

    @Test("each feed is asked as often as it is to be, and everything says whose price it is")
    func rhythm() async throws {
        let sources = try SourceScene(prices: ["190", "191", "192", "193", "194"])
        try await sources.scene.start()
        await sources.scene.poll()
        #expect(sources.asked == (1, 1))
        await sources.scene.poll(14)
        #expect(sources.asked == (15, 1))
        await sources.scene.poll(46)
        #expect(sources.asked == (61, 5))
        let status = try sources.status()
        #expect(status.state == .ok && status.reasons.isEmpty)
        #expect(status.feeds.map(\.name) == ["coingecko", "stocks"])
        #expect(status.feeds.map(\.state) == [.serving, .serving])
        #expect(status.feeds.map(\.requestsThisMonth) == [61, 5])
        #expect(status.markets.map(\.state) == [.fresh, .fresh])
        #expect(try sources.market("AAPL")?.price?.description == "194")
        #expect(sources.scene.statusText.contains(#""feed":"stocks""#))
        #expect(sources.scene.statusText.contains(#""interval_s":60"#))
        // An hour of the day was watched, of the slow one as well.
        #expect(status.summary.coverage.description == "4.1")
        let reader = try HistoryReader(at: sources.scene.database)
        var feeds: Set<String?> = []
        var count = 0
        try reader.samples(of: MarketID("AAPL"), in: .usd, since: nil, until: nil) {
            feeds.insert($0.feed)
            count += 1
        }
        #expect(feeds == ["stocks"] && count == 5)
        #expect(try reader.lastPoll(of: .own("stocks")) == sources.scene.time.now() - .minutes(1))
        #expect(sources.scene.log.contains(" poll.ok feed=stocks markets=1 "))
        await sources.scene.stop()
    }

    @Test("one that fails says so by its name, and costs the others nothing")
    func failing() async throws {
        let sources = try SourceScene()
        try await sources.scene.start()
        await sources.scene.poll(15)
        sources.stocks.setFaults([.status(500)])
        await sources.scene.poll()
        #expect(try sources.status().lastPoll?.outcome == .partial)
        #expect(try sources.status().lastPoll?.error?.kind == .server)
        await sources.scene.poll(20)
        let status = try sources.status()
        #expect(status.state == .degraded && status.lastPoll?.outcome == .ok && status.lastPoll?.error == nil)
        #expect(status.consecutiveFailures == 2)
        #expect(try sources.reasons().first?.hasPrefix("poll_failed: the last 2 polls of stocks failed: ") == true)
        #expect(try sources.market("AAPL")?.state == .fresh)
        // Three intervals without an answer, then ten minutes of a stale price.
        await sources.scene.poll(11)
        #expect(try sources.market("AAPL")?.state == .stale)
        await sources.scene.poll(14)
        #expect(try Set(sources.events()) == ["feed-stale stocks firing", "market-stale AAPL firing"])
        sources.stocks.setFaults([])
        await sources.scene.poll(15)
        #expect(
            try Set(sources.events().dropFirst(2)) == ["feed-stale stocks resolved", "market-stale AAPL resolved"])
        #expect(try sources.status().state == .ok)
        #expect(sources.scene.log.contains("poll.failed feed=stocks kind=server count=1 "))
        #expect(sources.scene.log.contains(" after_failures=4"))
        await sources.scene.stop()
    }

    @Test("one that hangs delays neither prices nor alerts nor the status of the others")
    func hanging() async throws {
        let server = HangingTransport()
        let sources = try SourceScene(
            Self.high, server: server)
        try await sources.scene.start()
        let daemon = try #require(sources.scene.daemon)
        let cycle = try await cycle(of: daemon, sources, until: server)
        #expect(try sources.events() == ["high bitcoin firing"])
        #expect(sources.scene.log.contains(" poll.ok feed=coingecko markets=1 "))
        #expect(!sources.scene.log.contains("feed=stocks"))
        #expect(try sources.status().state == .starting && sources.status().lastPoll?.outcome == .ok)
        server.breakConnections()
        await cycle.value
        #expect(await daemon.engine.ending == .polled(.partial, recorded: true))
        #expect(try sources.status().lastPoll?.outcome == .partial && sources.status().lastPoll?.feed == "coingecko")
        #expect(try sources.status().lastPoll?.error?.kind == .transport)
        #expect(sources.scene.log.contains(" poll.failed feed=stocks kind=transport "))
        await sources.scene.stop()
    }

    @Test("several feeds asked at once are one poll in the metrics, which counts when all have answered")
    func countedOnce() async throws {
        let server = HangingTransport()
        let sources = try SourceScene(server: server)
        let metrics = sources.scene.files.folder + "/pricewatch.prom"
        func polls() -> [String] {
            ((try? String(contentsOfFile: metrics, encoding: .utf8)) ?? "").split(separator: "\n")
                .filter { $0.hasPrefix("pricewatch_polls_total{") && !$0.hasSuffix(" 0") }.map(String.init)
        }
        try await sources.scene.restart(sources.scene.rules + "\nmetrics_file: \(metrics)")
        let daemon = try #require(sources.scene.daemon)
        let cycle = try await cycle(of: daemon, sources, until: server)
        #expect(FileManager.default.fileExists(atPath: metrics) && polls() == [])
        server.breakConnections()
        await cycle.value
        #expect(polls() == [#"pricewatch_polls_total{outcome="partial"} 1"#])
        // The status is written once more.
        await daemon.take(.rejected("a test"))
        #expect(polls() == [#"pricewatch_polls_total{outcome="partial"} 1"#])
        await sources.scene.stop()
    }

    @Test("one whose clock is wrong costs its own prices alone")
    func wrongClock() async throws {
        let sources = try SourceScene(
            Self.high + "\ndigest: {at: \"10:20\"}",
            feed: "every: 1m", ahead: .hours(1))
        try await sources.scene.start()
        await sources.scene.poll(30)
        #expect(try sources.reasons().first?.hasPrefix("clock: stocks: this clock is 1h behind the provider's") == true)
        #expect(try sources.status().markets.map(\.state) == [.fresh, .unknown])
        #expect(try sources.events() == ["high bitcoin firing"])
        #expect(try HistoryReader(at: sources.scene.database).size().samples == 30)
        #expect(sources.scene.log.contains(" summary.24h "))
        await sources.scene.stop()
    }

    @Test("where the others fail, a market with its own feed stays as it was")
    func othersFail() async throws {
        let sources = try SourceScene()
        try await sources.scene.start()
        await sources.scene.poll()
        sources.scene.simulator.setFaults([.status(500)])
        await sources.scene.poll(20)
        #expect(try sources.status().markets.map(\.state) == [.stale, .fresh])
        #expect(try sources.reasons().first?.hasPrefix("poll_failed: the last 20 polls failed: ") == true)
        #expect(try sources.events() == ["feed-stale coingecko firing"])
        #expect(sources.asked.stocks == 2)
        await sources.scene.stop()
    }

    @Test("time that a rule waits for is counted from answer to answer of the market's own feed, across a restart")
    func holds() async throws {
        let sources = try SourceScene(
            Self.waiting,
            prices: ["190", "191", "192", "193", "194", "195"])
        try await sources.scene.start()
        await sources.scene.poll(16)
        await sources.scene.stop()
        try await sources.scene.start()
        // The start asks at once, then every 15 minutes: 0, 15, 16, 31 and 46 minutes.
        await sources.scene.poll(30)
        #expect(sources.asked.stocks == 4)
        #expect(try sources.events() == ["high AAPL pending"])
        await sources.scene.poll()
        #expect(try sources.events() == ["high AAPL pending", "high AAPL firing"])
        await sources.scene.stop()
    }

    @Test("while its feed fails, a waiting rule waits, however often the others are answered")
    func holdsStill() async throws {
        let sources = try SourceScene(
            Self.waiting,
            feed: "every: 15m, stale_after: 4d")
        try await sources.scene.start()
        await sources.scene.poll()
        sources.stocks.setFaults([.status(500)])
        await sources.scene.poll(120)
        #expect(try sources.events() == ["high AAPL pending"])
        #expect(try sources.market("AAPL")?.state == .fresh)
        await sources.scene.stop()
    }

    @Test("a window of a market that is asked seldom is covered by its own answers, and known again after a restart")
    func windows() async throws {
        let sources = try SourceScene(
            "builtin_alerts: false\nalerts: [{name: drop, market: AAPL, falls: 5%, within: 1h}]",
            prices: ["190", "190", "190", "190", "190", "170"])
        try await sources.scene.start()
        await sources.scene.poll(74)
        await sources.scene.stop()
        sources.scene.time.step(.minutes(1))
        try await sources.scene.start()
        await sources.scene.poll()
        #expect(try sources.events() == ["drop AAPL firing"])
        await sources.scene.stop()
    }

    @Test("a restart asks at once the feeds that it has not asked for a minute, and no others")
    func restart() async throws {
        let sources = try SourceScene()
        try await sources.scene.start()
        await sources.scene.poll()
        sources.scene.time.step(.zero - .seconds(30))
        await sources.scene.stop()
        try await sources.scene.start()
        #expect(await sources.scene.daemon?.untilNextPoll(at: sources.scene.time.uptime()) == .seconds(30))
        await sources.scene.wake()
        #expect(sources.asked == (1, 1), "while no source is due, nothing is asked")
        #expect(try sources.status().state == .starting)
        sources.scene.time.step(.seconds(30))
        await sources.scene.poll()
        #expect(sources.asked == (2, 2))
        #expect(try sources.status().state == .ok)
        await sources.scene.stop()
    }

    @Test("each feed paces itself to its own quota")
    func quota() async throws {
        let sources = try SourceScene(feed: "every: 1m, quota_month: 100")
        try await sources.scene.start()
        await sources.scene.poll(60)
        #expect(sources.asked == (60, 1))
        #expect(try sources.reasons().first?.hasPrefix("quota: stocks: asked every ") == true)
        #expect(sources.scene.statusText.contains(#""interval_s":60"#))
        await sources.scene.stop()
    }
}
