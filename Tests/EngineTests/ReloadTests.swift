import Foundation
import Markets
import Testing

@testable import Engine

/// A reload of the same settings between two cycles changes nothing of what is asked, logged, recorded, sent and shown.
@Suite struct ReloadTests {
    @Test("what could not be written yet is known after a reload: nothing is announced again")
    func unwritten() {
        var scene = EngineScene(.test(rules: [levelRule()]), feeds: ["a": [gives("10.5")]])
        scene.fault = "disk full"
        scene.wake()
        scene.reload()
        scene.step(.minutes(1))
        scene.wake()
        #expect(scene.events.count(where: { $0 == "alert.firing" }) == 1)
    }

    @Test("a reload of the same settings, at any place, changes nothing", arguments: 1...6, [false, true])
    func changesNothing(seed: Int, settingClock: Bool) {
        let world = RandomWorld(seed: seed, setsClock: settingClock)
        var plain = world.scene()
        var reloaded = world.scene()
        var dice = Dice(state: UInt64(seed) &* 77)
        var reloads = 0
        for step in 0..<RandomWorld.steps {
            world.act(step, &plain)
            world.act(step, &reloaded)
            if let difference = Account(reloaded).difference(from: Account(plain)) {
                Issue.record("step \(step), after \(reloads) reloads: \(difference)")
                return
            }
            plain.forget()
            reloaded.forget()
            guard dice.below(4) == 0, !reloaded.engine.isPolling else { continue }
            // Recalled polls are in the order of their times, which is not that of the polls where the clock was set.
            reloaded.reload(keepingWindows: settingClock)
            // It is published that other settings are in force.
            reloaded.forgetStatuses()
            reloads += 1
        }
        #expect(reloads > RandomWorld.steps / 10)
    }

    @Test("the random worlds are worth looking at")
    func isEventful() {
        var events: Set<String> = []
        for seed in 1...6 {
            let world = RandomWorld(seed: seed, setsClock: true)
            var scene = world.scene()
            for step in 0..<RandomWorld.steps { world.act(step, &scene) }
            events.formUnion(scene.events)
        }
        let expected: Set = [
            "alert.firing", "alert.pending", "alert.reminder", "alert.resolved", "clock.jumped", "feed.max_age",
            "feed.restored", "feed.switched", "heartbeat.failed", "heartbeat.sent", "notify.dropped", "notify.failed",
            "notify.sent", "poll.failed", "poll.ok", "poll.partial", "poll.retry", "poll.unchanged", "price.confirmed",
            "price.rejected", "price.unconfirmed", "summary.24h",
        ]
        #expect(expected.subtracting(events).isEmpty)
    }
}

/// What happens in one step of one world; the same whenever it is asked for.
struct RandomWorld {
    static let steps = 50
    let seed: Int
    let setsClock: Bool

    private static let ranked = (1...6).map { "m\($0)" }

    var settings: Settings {
        func all(_ name: String, _ condition: AlertRule.Condition) -> AlertRule {
            AlertRule(name: name, scope: .all, condition: condition)
        }
        var held = all("held", .above(price("101")))
        held.holdFor = .minutes(2)
        held.keepFiringFor = .minutes(2)
        var reminded = all("reminded", .below(price("99")))
        reminded.repeatEvery = .minutes(5)
        reminded.severity = .critical
        var once = all("once", .above(price("103")))
        once.once = true
        var corridor = all("corridor", .outside(low: price("97"), high: price("103")))
        corridor.notify = ["phone"]
        let windows = [
            all("rise", .rises(percent(3), within: .minutes(10))), all("high", .newHigh(.minutes(15))),
            all("move", .moves(percent(4), within: .minutes(30))),
        ]
        let feeds = [("a", SourceID.shared), ("stocks", .own("stocks"))].map { feed, source in
            AlertRule(
                name: "feed-stale", scope: .feed(market(feed), of: source), condition: .feedStale(.minutes(8)),
                severity: .critical)
        }
        var settings = Settings.test(
            ["bitcoin", "ethereum"], top: 3, feeds: ["a", "b"], own: [("stocks", ["AAPL", "MSFT"])],
            moveLimit: percent(20),
            rules: [held, reminded, once, corridor] + windows + feeds + [
                all("stale", .stale(.minutes(4))), all("market-stale", .marketStale(.minutes(1))),
                all("market-missing", .marketMissing(answers: 3)),
            ],
            channels: [
                Routing.Channel(name: "ops", maxAge: .minutes(20)),
                Routing.Channel(name: "phone", sendResolved: false, quiet: QuietHours("10:30-11:00")),
            ], digest: DigestTime(at: TimeOfDay(hour: 10, minute: 45)), digestTo: ["phone"],
            heartbeat: .minutes(5))
        for place in settings.watchlist.named.indices where place % 2 == 0 {
            settings.watchlist.named[place].staleness = Staleness(after: .minutes(12))
        }
        settings.sources[1].every = .minutes(3)
        settings.sources[1].members[0].every = .minutes(3)
        // Spread over the month, such a quota leaves a request every two minutes.
        if seed % 3 == 0 { settings.sources[0].members[0].quota = 6700 }
        return settings
    }

    func scene() -> EngineScene {
        var scene = EngineScene(settings)
        for feed in ["a", "b", "stocks"] { scene.replies[feed] = [reply()] }
        scene.outcome = { [self] request, now in
            var dice = drawn("delivery", request.message.id, "\(now.uptime)")
            return switch dice.below(10) {
            case 0...3: .fails
            case 4: .fails(retryAfter: .minutes(3))
            case 5: .refuses
            case 6: .hangs
            default: .ends(.delivered)
            }
        }
        return scene
    }

    /// What is drawn for these words.
    private func drawn(_ words: String...) -> Dice {
        Dice(state: UInt64(StableID.fraction(of: ["\(seed)"] + words) * 9e15))
    }

    func act(_ step: Int, _ scene: inout EngineScene) {
        var dice = drawn("step", "\(step)")
        switch dice.below(24) {
        case 0 where setsClock: scene.set(by: .seconds(dice.below(7200) - 3600))
        case 1:
            let middle = scene.now.wall + .minutes(5)
            scene.gap = GapReading(
                backfilled: [market("bitcoin"): [PastQuote(quotedAt: middle, price: price("102"))]],
                backfillable: [market("ethereum")])
            scene.sleep(.minutes(dice.below(40)))
        case 2:
            let until = scene.now.wall + .minutes(dice.below(10))
            scene.silence([
                Silence(
                    id: Int64(step), rule: dice.below(2) == 0 ? "corridor" : nil, market: nil, since: scene.now.wall,
                    until: until)
            ])
        case 3: scene.silence([])
        case 4: scene.heartbeatFaults = Array(repeating: "503", count: dice.below(3))
        case 5, 6: for request in scene.hanging { scene.end(request, .failed(cause: "late", retryAfter: nil)) }
        case 7: for request in scene.hanging { scene.end(request, .delivered) }
        default: break
        }
        scene.work()
        if step == 0 { scene.wake() }
        scene.run(for: .milliseconds(20_000 + dice.below(100_000)))
    }

    private func reply() -> EngineScene.Reply {
        { request, now in
            let time = "\(now.uptime)"
            // A feed is well or ill for some minutes.
            let spell = "\(now.uptime.components.seconds / 400)"
            var mood = drawn("mood", request.feed, spell)
            var dice = drawn(request.feed, time)
            var result: PollResult
            switch mood.below(6) {
            case 0 where dice.below(3) > 0: result = fails(.timeout, requests: 3)(request, now)
            case 1 where dice.below(3) > 0:
                let until = now.wall + .seconds(dice.below(300))
                result =
                    dice.below(2) == 0
                    ? waits(until: until)(request, now)
                    : refuses(for: .seconds(1 + dice.below(200)))(request, now)
            default: result = PollResult(feed: request.feed, .answered(answer(to: request, now, &dice)))
            }
            result.requestsThisMonth = Int(now.uptime.components.seconds / 60)
            if dice.below(9) == 0 {
                result.retries = [
                    PollResult.Retry(
                        attempt: 1, delay: .seconds(1), error: PollError(.server, message: "502", isRetryable: true))
                ]
            }
            return result
        }
    }

    private func answer(to request: PollRequest, _ now: Moment, _ dice: inout Dice) -> Answer {
        var answer = Answer(fetchedAt: now.wall)
        answer.serverDate = dice.below(20) == 0 ? now.wall + .minutes(dice.below(20)) : nil
        answer.maxAge = dice.below(20) == 0 ? .minutes(5) : nil
        if request.watch.top > 0 {
            var ranked = Self.ranked.map(market)
            for _ in 0..<2 { ranked.swapAt(dice.below(4), dice.below(6)) }
            answer.ranking = Array(ranked.prefix(request.watch.top))
        }
        // Prices stay for a while, so that some answers bring nothing new.
        let quotedAt = dice.below(4) > 0 ? now.wall : now.wall - .seconds(30 + dice.below(300))
        let named = request.watch.entries.map(\.market)
        let isShort = dice.below(15) == 0
        answer.rankingIsIncomplete = isShort
        for market in named + answer.ranking.filter({ !named.contains($0) }) {
            switch dice.below(isShort ? 3 : 12) {
            case 0: answer.unusable[market] = dice.below(2) == 0 ? .nullPrice : .badPrice
            case 1:
                if isShort, named.contains(market) {
                    answer.unreached.insert(market)
                } else {
                    answer.missing.append(market)
                }
            default:
                let jump = dice.below(25) == 0 ? 1.5 : 1
                // Prices hold a level for some minutes.
                var level = drawn("level", market.text, "\(now.uptime.components.seconds / 700)")
                let cents = Int((Double(9650 + level.below(700) + dice.below(40)) * jump).rounded())
                let text = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
                answer.quotes.append(quote(market.text, text, at: quotedAt, change: dice.below(2) == 0 ? "1.5" : nil))
            }
        }
        return answer
    }
}

/// What has come of one step.
private struct Account {
    private var parts: [(name: String, values: [AnyHashable])]

    init(_ scene: EngineScene) {
        let polls = scene.commits.flatMap(\.polls)
        parts = [
            ("polls", scene.requests.flatMap(Self.values)),
            ("log", scene.log.map { "\($0.level) \($0.event)\($0.fields)" }),
            ("events", scene.commits.flatMap(\.events)), ("messages", scene.commits.flatMap(\.outbox)),
            ("alerts", scene.commits.map(\.alerts).filter { !$0.isEmpty }),
            ("recorded", polls.flatMap(Self.values)),
            ("heartbeats", scene.heartbeats), ("prunings", scene.prunings), ("next", [scene.nextWake]),
            ("status", Self.values(scene.status)), ("published", scene.statuses.flatMap(Self.values)),
        ]
    }

    /// The first difference; nil where there is none.
    func difference(from other: Account) -> String? {
        for ((name, values), (_, expected)) in zip(parts, other.parts) where values != expected {
            let place = zip(values, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            guard let place else {
                let longer = values.count > expected.count ? values : expected
                return "\(name): \(values.count), not \(expected.count): \(longer[min(values.count, expected.count)])"
            }
            return "\(name): \(values[place]), not \(expected[place])"
        }
        return nil
    }

    private static func values(_ request: PollRequest) -> [AnyHashable] {
        [request.source, request.feed, request.watch, request.limit, request.isProbe]
    }

    private static func values(_ poll: PollRecord) -> [AnyHashable] {
        [
            poll.at, poll.fetchedAt, poll.feed, poll.source, poll.interval, poll.outcome, poll.error, poll.samples,
            poll.moves, poll.unknown.map(\.market), poll.unknown.map(\.reason), poll.watched, poll.ranking,
        ]
    }

    private static func values(_ report: StatusReport) -> [AnyHashable] {
        let times: [Date?] = [report.startedAt, report.writtenAt, report.nextPollAt, report.lastUsablePoll]
        return [
            report.state, report.reasons, times, report.interval, report.lastPoll, report.consecutiveFailures,
            report.feeds, report.summary, report.markets, report.firing, report.pending,
            report.silences, report.outbox, report.history,
        ]
    }
}
