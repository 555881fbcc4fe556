import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// Feeds that single markets have for their own, through the whole daemon.
@Suite struct LaneTests {
    @Test("each feed is asked as often as it is to be, and everything says whose price it is")
    func rhythm() async throws {
        let lanes = try await LaneScene(prices: ["190", "191", "192", "193", "194"])
        try await lanes.scene.start()
        await lanes.scene.poll()
        #expect(lanes.asked == (1, 1))
        await lanes.scene.poll(14)
        #expect(lanes.asked == (15, 1))
        await lanes.scene.poll(46)
        #expect(lanes.asked == (61, 5))
        let status = try lanes.status()
        #expect(status.state == "ok" && status.reasons?.isEmpty == true)
        #expect(status.feeds?.map(\.name) == ["coingecko", "stocks"])
        #expect(status.feeds?.map(\.state) == ["serving", "serving"])
        #expect(status.feeds?.map(\.requestsMonth) == [61, 5])
        #expect(status.markets?.map(\.state) == ["fresh", "fresh"])
        #expect(try lanes.market("AAPL")?.price == "194")
        #expect(lanes.scene.status.contains(#""feed":"stocks""#))
        #expect(lanes.scene.status.contains(#""interval_s":60"#))
        // An hour of the day was watched, of the slow one as well.
        #expect(status.summary?.coverage.description == "4.1")
        let reader = try HistoryReader(at: lanes.scene.database)
        var feeds: Set<String?> = []
        var count = 0
        try reader.samples(of: MarketID("AAPL"), in: .usd, since: nil, until: nil) {
            feeds.insert($0.feed)
            count += 1
        }
        #expect(feeds == ["stocks"] && count == 5)
        #expect(try reader.lastPoll(of: .own("stocks")) == lanes.scene.time.now() - .minutes(1))
        #expect(lanes.scene.log.contains(" poll.ok feed=stocks markets=1 "))
        await lanes.finish()
    }

    @Test("one that fails says so by its name, and costs the others nothing")
    func failing() async throws {
        let lanes = try await LaneScene()
        try await lanes.scene.start()
        await lanes.scene.poll(15)
        lanes.stocks.setFaults([.status(500)])
        await lanes.scene.poll()
        #expect(try lanes.status().lastPoll?.outcome == "partial")
        #expect(try lanes.status().lastPoll?.error?.kind == "server")
        await lanes.scene.poll(20)
        let status = try lanes.status()
        #expect(status.state == "degraded" && status.lastPoll?.outcome == "ok" && status.lastPoll?.error == nil)
        #expect(status.consecutiveFailures == 2)
        #expect(try lanes.reasons().first?.hasPrefix("poll_failed: the last 2 polls of stocks failed: ") == true)
        #expect(try lanes.market("AAPL")?.state == "fresh")
        // Three intervals without an answer, then ten minutes of a stale price.
        await lanes.scene.poll(11)
        #expect(try lanes.market("AAPL")?.state == "stale")
        await lanes.scene.poll(14)
        #expect(try Set(lanes.events()) == ["feed-stale stocks firing", "market-stale AAPL firing"])
        lanes.stocks.setFaults([])
        await lanes.scene.poll(15)
        #expect(
            try Set(lanes.events().dropFirst(2)) == ["feed-stale stocks resolved", "market-stale AAPL resolved"])
        #expect(try lanes.status().state == "ok")
        #expect(lanes.scene.log.contains("poll.failed feed=stocks kind=server count=1 "))
        #expect(lanes.scene.log.contains(" after_failures=4"))
        await lanes.finish()
    }

    @Test("one that hangs delays neither prices nor alerts nor the status of the others")
    func hanging() async throws {
        let lanes = try await LaneScene("builtin_alerts: false\nalerts: [{name: high, market: bitcoin, above: 1}]")
        try await lanes.scene.start()
        lanes.stocks.setFaults([.hang])
        let cycle = lanes.scene.cycle
        let turn = Task { await cycle?.turn() }
        await lanes.stocks.waitUntilSeen(1)
        try await eventually("what the others answered") { (try? lanes.market("bitcoin"))??.price == "70000" }
        #expect(try lanes.events() == ["high bitcoin firing"])
        #expect(lanes.scene.log.contains(" poll.ok feed=coingecko markets=1 "))
        #expect(!lanes.scene.log.contains("feed=stocks"))
        #expect(try lanes.status().state == "starting" && lanes.status().lastPoll?.outcome == "ok")
        await lanes.stocks.stop()
        guard case .polled(.partial, recorded: true) = await turn.value else {
            Issue.record("the turn is one, of both")
            return
        }
        #expect(try lanes.status().lastPoll?.outcome == "partial" && lanes.status().lastPoll?.feed == "coingecko")
        #expect(try lanes.status().lastPoll?.error?.kind == "transport")
        #expect(lanes.scene.log.contains(" poll.failed feed=stocks kind=transport "))
        await lanes.finish()
    }

    @Test("several feeds asked at once are one poll in the metrics, which counts when all have answered")
    func countedOnce() async throws {
        let lanes = try await LaneScene()
        let metrics = lanes.scene.files.folder + "/pricewatch.prom"
        func polls() -> [String] {
            ((try? String(contentsOfFile: metrics, encoding: .utf8)) ?? "").split(separator: "\n")
                .filter { $0.hasPrefix("pricewatch_polls_total{") && !$0.hasSuffix(" 0") }.map(String.init)
        }
        lanes.scene.metrics = MetricsFile(path: metrics)
        try await lanes.scene.start()
        lanes.stocks.setFaults([.hang])
        let cycle = lanes.scene.cycle
        let turn = Task { await cycle?.turn() }
        await lanes.stocks.waitUntilSeen(1)
        try await eventually("what the others answered") { (try? lanes.market("bitcoin"))??.price == "70000" }
        await cycle?.showChange()
        #expect(polls() == [])
        await lanes.stocks.stop()
        _ = await turn.value
        #expect(polls() == [#"pricewatch_polls_total{outcome="partial"} 1"#])
        await lanes.scene.cycle?.showChange()
        #expect(polls() == [#"pricewatch_polls_total{outcome="partial"} 1"#])
        await lanes.finish()
    }

    @Test("one whose clock is wrong costs its own prices alone")
    func wrongClock() async throws {
        let lanes = try await LaneScene(
            "builtin_alerts: false\nalerts: [{name: high, market: bitcoin, above: 1}]\ndigest: {at: \"10:20\"}",
            feed: "every: 1m", ahead: .hours(1))
        try await lanes.scene.start()
        await lanes.scene.poll(30)
        #expect(try lanes.reasons().first?.hasPrefix("clock: stocks: this clock is 1h behind the provider's") == true)
        #expect(try lanes.status().markets?.map(\.state) == ["fresh", "unknown"])
        #expect(try lanes.events() == ["high bitcoin firing"])
        #expect(try HistoryReader(at: lanes.scene.database).size().samples == 30)
        #expect(lanes.scene.log.contains(" summary.24h "))
        await lanes.finish()
    }

    @Test("where the others fail, a market with its own feed stays as it was")
    func othersFail() async throws {
        let lanes = try await LaneScene()
        try await lanes.scene.start()
        await lanes.scene.poll()
        lanes.scene.simulator.setFaults([.status(500)])
        await lanes.scene.poll(20)
        #expect(try lanes.status().markets?.map(\.state) == ["stale", "fresh"])
        #expect(try lanes.reasons().first?.hasPrefix("poll_failed: the last 20 polls failed: ") == true)
        #expect(try lanes.events() == ["feed-stale coingecko firing"])
        #expect(lanes.asked.stocks == 2)
        await lanes.finish()
    }

    @Test("time that a rule waits for is counted from answer to answer of the market's own feed, across a restart")
    func holds() async throws {
        let lanes = try await LaneScene(
            "builtin_alerts: false\nalerts: [{name: high, market: AAPL, above: 100, for: 40m}]",
            prices: ["190", "191", "192", "193", "194", "195"])
        try await lanes.scene.start()
        await lanes.scene.poll(16)
        await lanes.scene.stop()
        try await lanes.scene.start()
        // The start asks at once, then every 15 minutes: 0, 15, 16, 31 and 46 minutes.
        await lanes.scene.poll(30)
        #expect(lanes.asked.stocks == 4)
        #expect(try lanes.events() == ["high AAPL pending"])
        await lanes.scene.poll()
        #expect(try lanes.events() == ["high AAPL pending", "high AAPL firing"])
        await lanes.finish()
    }

    @Test("while its feed fails, a waiting rule waits, however often the others are answered")
    func holdsStill() async throws {
        let lanes = try await LaneScene(
            "builtin_alerts: false\nalerts: [{name: high, market: AAPL, above: 100, for: 40m}]",
            feed: "every: 15m, stale_after: 4d")
        try await lanes.scene.start()
        await lanes.scene.poll()
        lanes.stocks.setFaults([.status(500)])
        await lanes.scene.poll(120)
        #expect(try lanes.events() == ["high AAPL pending"])
        #expect(try lanes.market("AAPL")?.state == "fresh")
        await lanes.finish()
    }

    @Test("a window of a market that is asked seldom is covered by its own answers, and known again after a restart")
    func windows() async throws {
        let lanes = try await LaneScene(
            "builtin_alerts: false\nalerts: [{name: drop, market: AAPL, falls: 5%, within: 1h}]",
            prices: ["190", "190", "190", "190", "190", "170"])
        try await lanes.scene.start()
        await lanes.scene.poll(74)
        await lanes.scene.stop()
        lanes.scene.time.step(.minutes(1))
        try await lanes.scene.start()
        await lanes.scene.poll()
        #expect(try lanes.events() == ["drop AAPL firing"])
        await lanes.finish()
    }

    @Test("a restart asks at once whom it has not asked for a minute, and nobody else")
    func restart() async throws {
        let lanes = try await LaneScene()
        try await lanes.scene.start()
        await lanes.scene.poll()
        lanes.scene.time.step(.zero - .seconds(30))
        await lanes.scene.stop()
        try await lanes.scene.start()
        #expect(lanes.scene.cycle?.firstDelay == .seconds(30))
        _ = await lanes.scene.cycle?.turn()
        #expect(lanes.asked == (1, 1), "a turn in which nobody is due asks nothing")
        #expect(try lanes.status().state == "ok")
        lanes.scene.time.step(.seconds(30))
        await lanes.scene.poll()
        #expect(lanes.asked == (2, 2))
        await lanes.finish()
    }

    @Test("each feed paces itself to its own quota")
    func quota() async throws {
        let lanes = try await LaneScene(feed: "every: 1m, quota_month: 100")
        try await lanes.scene.start()
        await lanes.scene.poll(60)
        #expect(lanes.asked == (60, 1))
        #expect(try lanes.reasons().first?.hasPrefix("quota: stocks: asked every ") == true)
        #expect(lanes.scene.status.contains(#""interval_s":60"#))
        await lanes.finish()
    }
}
