import Foundation
import Markets
import Testing

@testable import Engine

/// The state and the reasons of the status, and when it is published.
@Suite struct StatusTests {
    private func reasons(_ scene: EngineScene) -> [String] {
        scene.status.reasons.map { "\($0.code): \($0.message)" }
    }

    @Test("before the first cycle has ended it is starting, then what its markets are")
    func starts() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1"), fails(), gives("2")]])
        #expect(scene.status.state == .starting && scene.status.lastPoll == nil)
        scene.take(.woke)
        #expect(scene.statuses.map(\.state) == [.starting])
        scene.work()
        #expect(scene.statuses.last?.state == .ok && scene.status.nextPollAt == moment(60))
        scene.step(.minutes(1))
        scene.wake()
        #expect(scene.status.state == .degraded && scene.status.consecutiveFailures == 1)
        #expect(reasons(scene) == ["poll_failed: the last poll failed: poll a: server"])
        scene.step(.minutes(16))
        #expect(scene.status.state == .failing)
        scene.wake()
        #expect(scene.status.state == .ok && reasons(scene) == [])
    }

    @Test("each source has its own reasons; those of a market's own feed name it")
    func ownSource() {
        var scene = EngineScene(
            .test(own: [("stocks", ["AAPL"])]),
            feeds: ["a": [gives("1")], "stocks": [gives("2"), fails(), refuses(for: .hours(1))]])
        scene.poll(2)
        #expect(reasons(scene) == ["poll_failed: the last poll of stocks failed: poll stocks: server"])
        scene.wake()
        #expect(
            reasons(scene) == [
                "poll_failed: the last 2 polls of stocks failed: poll stocks: rate_limited",
                "waiting: stocks is not asked before 2026-11-21T11:02:00Z",
            ])
        #expect(scene.status.feeds.map(\.state) == [.serving, .cooling])
        #expect(scene.status.feeds.last?.nextTryAt == moment(120) + .hours(1))
    }

    @Test("a provider that refuses us is blocked, and the next poll comes when it may be asked")
    func blocked() {
        var scene = EngineScene(.test(), feeds: ["a": [refuses(.forbidden, for: .hours(6), isBlock: true)]])
        scene.wake()
        #expect(scene.status.feeds.map(\.state) == [.blocked])
        #expect(scene.status.nextPollAt == moment() + .hours(6))
        #expect(scene.status.state == .failing)
        #expect(
            reasons(scene) == [
                "poll_failed: the last poll failed: poll a: forbidden",
                "waiting: the provider is not asked before 2026-11-21T16:00:00Z", "market_unknown: unknown: bitcoin",
            ])
        scene.replies["a"] = [waits(until: moment() + .hours(6), isBlock: true)]
        scene.step(.minutes(1))
        scene.wake()
        #expect(scene.engine.ending == .waiting(until: moment() + .hours(6)))
        #expect(scene.memory.polls.count == 1 && scene.memory.lastCycle == moment(60))
    }

    @Test("a feed in use that fails is failing, not serving, until it answers again")
    func failing() {
        var scene = EngineScene(
            .test(feeds: ["a", "b"]),
            feeds: ["a": [gives("1"), fails(), gives("2")], "b": [fails()]])
        scene.poll()
        #expect(scene.status.feeds.map(\.state) == [.serving, .standby])
        scene.wake()
        #expect(scene.status.feeds.map(\.state) == [.failing, .cooling])
        let written = StatusReport(json: Data(scene.status.json))
        #expect(written?.feeds.first?.state == .failing)
        scene.step(.minutes(1))
        scene.wake()
        #expect(scene.status.feeds.map(\.state) == [.serving, .standby])
    }

    @Test("an answer without a usable price is no service, either")
    func empty() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1"), gives { _ in nil }]])
        scene.poll(2)
        #expect(scene.status.feeds.map(\.state) == [.failing])
    }

    @Test("a standby serves in place of another, which cools down")
    func standby() {
        var scene = EngineScene(.test(feeds: ["a", "b"]), feeds: ["a": [fails()], "b": [gives("1")]])
        scene.wake()
        #expect(reasons(scene) == ["standby: b serves in place of a"])
        #expect(scene.status.feeds.map(\.state) == [.cooling, .serving])
        #expect(scene.status.feeds.map(\.nextTryAt) == [moment(60), nil])
    }

    @Test("a quota that would not last for the month stretches the interval, and says so")
    func quota() {
        var settings = Settings.test()
        settings.sources[0].members[0].quota = 1000
        var scene = EngineScene(settings)
        scene.replies["a"] = [
            { request, now in
                var result = gives("1")(request, now)
                result.requestsThisMonth = 500
                return result
            }
        ]
        scene.wake()
        // 9 days and 14 hours are left for 500 requests.
        #expect(scene.status.interval == .seconds(1656))
        #expect(
            reasons(scene) == [
                "quota: asked every 27m36s instead of 1m, so that 1000 requests last for the month (500 are used)"
            ])
        #expect(scene.nextWake == scene.now.uptime + .seconds(1656))
        #expect(scene.status.feeds.map(\.requestsThisMonth) == [500])
    }

    @Test("an interval that was lengthened since the last answer makes no price stale while polls fail")
    func lengthenedWhileFailing() throws {
        var settings = Settings.test()
        settings.sources[0].members[0].quota = 1000
        settings.watchlist.named[0].staleness.followsInterval = true
        var scene = EngineScene(settings)
        func used(_ requests: Int, _ reply: @escaping EngineScene.Reply) -> EngineScene.Reply {
            { request, now in
                var result = reply(request, now)
                result.requestsThisMonth = requests
                return result
            }
        }
        scene.replies["a"] = [used(500, gives("1")), used(900, fails()), used(901, fails())]
        var ages: [Duration] = []
        for _ in 0..<3 {
            scene.wake()
            let status = scene.status
            let market = try #require(status.markets.first)
            ages.append(scene.now.wall.since(try #require(market.quotedAt)))
            #expect(market.state == .fresh)
            scene.step(status.interval)
        }
        // Three of the intervals that were in force at the answer.
        #expect(ages[2] > .seconds(1656) * 3)
    }

    @Test(
        "where the clocks disagree nothing is recorded or judged, and the reason names the source",
        arguments: [true, false])
    func clock(isAhead: Bool) {
        var scene = EngineScene(.test(own: [("stocks", ["AAPL"])], rules: [levelRule()]))
        let wrong: EngineScene.Reply = { request, now in
            var answer = Answer(fetchedAt: now.wall)
            answer.quotes = request.watch.entries.map { quote($0.market.text, "11", at: now.wall) }
            answer.serverDate = isAhead ? now.wall - .minutes(7) : now.wall + .minutes(7)
            return PollResult(feed: request.feed, .answered(answer))
        }
        (scene.replies["a"], scene.replies["stocks"]) = ([wrong], [wrong])
        scene.wake()
        let words = "this clock is 7m \(isAhead ? "ahead of" : "behind") the provider's; nothing is recorded "
        #expect(reasons(scene).first?.hasPrefix("clock: \(words)") == true)
        #expect(reasons(scene)[1].hasPrefix("clock: stocks: \(words)"))
        #expect(scene.memory.polls.isEmpty && scene.announced.isEmpty && scene.prunings.isEmpty)
        scene.replies["a"] = [gives("11")]
        scene.step(.minutes(1))
        scene.wake()
        #expect(scene.memory.polls.count == 1 && scene.announced == ["firing"] && scene.prunings.count == 1)
    }

    @Test("markets are listed by what is wrong with them")
    func markets() {
        var scene = EngineScene(
            .test(["bitcoin", "ethereum", "a1", "a2", "a3", "a4", "a5"]),
            feeds: ["a": [gives { ["bitcoin": "1", "ethereum": "2"][$0.text] }]])
        scene.wake()
        #expect(reasons(scene) == ["market_missing: missing: a1, a2, a3 and 2 more"])
        #expect(scene.status.markets.map(\.state) == [.fresh, .fresh] + Array(repeating: .missing, count: 5))
    }

    @Test("a refused configuration shows until a good one is taken in")
    func rejected() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.poll()
        #expect(scene.take(.rejected("line 3: what is this?")).publish == .changed)
        #expect(
            reasons(scene) == [
                "config_rejected: the configuration was refused, the old one stays in use: line 3: what is this?"
            ])
        scene.reload()
        #expect(reasons(scene) == [])
    }

    @Test("once other settings are in force, nothing is reported of those before")
    func reloaded() {
        var scene = EngineScene(.test(feeds: ["a", "b"]), feeds: ["a": [fails()], "b": [gives("1")]])
        scene.poll()
        scene.reload(.test(["ethereum"], feeds: ["b"]))
        #expect(scene.statuses.last?.markets.map(\.market.text) == ["ethereum"])
        #expect(scene.status.feeds.map(\.name) == ["b"])
        #expect(reasons(scene) == ["market_unknown: unknown: ethereum"])
        scene.poll()
        #expect(scene.status.markets.map(\.market.text) == ["ethereum"] && scene.status.state == .ok)
    }

    @Test("what keeps the shell from its files is a reason, too")
    func shell() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.poll()
        let status = scene.engine.status(at: scene.now, logFault: "no space", quarantined: ["old", "new"])
        #expect(status.reasons.map(\.code) == ["database_replaced", "log_unwritable"])
        #expect(status.reasons[0].message.contains("set aside as new:") && status.reasons[1].message == "no space")
        #expect(status.state == .degraded)
    }

    @Test("a stop shows at once, and at the end that it has stopped")
    func stops() {
        var scene = EngineScene(.test(), feeds: ["a": [gives("1")]])
        scene.poll()
        scene.take(.stop)
        #expect(scene.statuses.last?.state == .stopping && scene.isOver)
        #expect(scene.engine.status(at: scene.now, isStopped: true).state == .stopped)
        #expect(scene.events.last == "service.stopping")
    }
}
