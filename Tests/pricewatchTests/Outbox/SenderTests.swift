import Engine
import Foundation
import History
import Markets
import Testing

@testable import pricewatch

/// The daemon's cycle on a simulated market, with channels that fail as they are told, and time stepped by hand.
@Suite struct SenderTests {
    private static let bitcoin = Told.id("bitcoin")

    private func scene(
        _ channel: ScriptedChannel, _ prices: [String], alerts: String? = nil, channels: String = "", more: String = ""
    ) async throws -> CycleScene {
        let scene = try await CycleScene(
            """
            watch: {markets: [bitcoin]}
            builtin_alerts: false
            alerts: \(alerts ?? "[{name: high, market: bitcoin, above: 10}]")
            notify: {ops: {exec: [/bin/true]\(channels)}}
            \(more)
            """, script: [Self.bitcoin: prices.map(Told.price)])
        scene.channels = { _ in channel }
        return scene
    }

    private func words(_ messages: [Message]) -> [String] {
        messages.map { message in
            let events = message.events.map { "\($0.rule) \($0.kind.rawValue)" }
            if case .note(let note) = message.content {
                return ([note.kind.rawValue] + events).joined(separator: ", ")
            }
            return events.joined(separator: ", ")
        }
    }

    private func queued(_ scene: CycleScene) throws -> [QueuedMessage] {
        try HistoryReader(at: scene.database).queuedMessages()
    }

    private func log(_ scene: CycleScene, _ event: String) -> [Substring] {
        scene.log.split(separator: "\n").filter { $0.contains(" \(event) ") }
    }

    @Test("a rule that is taken out and put back is told of again", arguments: [false, true])
    func returns(restarting: Bool) async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["10.5"])
        let (with, without) = (scene.rules, scene.rules.replacing("{name: high, market: bitcoin, above: 10}", with: ""))
        try await scene.start()
        await scene.poll()
        for rules in [without, without, with] {
            try await scene.reload(rules)
            if restarting, rules == without {
                await scene.stop()
                try await scene.start()
            }
            await scene.poll()
        }
        #expect(words(channel.delivered) == ["high firing", "high resolved", "high firing"])
        await scene.finish()
    }

    @Test("what happens is sent at once, is gone from the outbox, and stands in the log")
    func sends() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5", "10.5", "9.5"])
        try await scene.start()
        await scene.poll(3)
        #expect(words(channel.delivered) == ["high firing", "high resolved"])
        #expect(try queued(scene).isEmpty)
        let sent = log(scene, "notify.sent")
        #expect(sent.count == 2)
        let id = try #require(channel.delivered.first).id
        #expect(sent.first?.contains("info notify.sent channel=ops id=\(id) rule=high market=bitcoin ") == true)
        #expect(sent.first?.contains(" attempts=1 ") == true && sent.first?.hasSuffix(" answer=ok") == true)
        await scene.finish()
    }

    @Test("what fails is tried again later, under the same id, and the alert's next message waits for it")
    func retries() async throws {
        let channel = ScriptedChannel("ops", [.fail(), .fail(retryAfter: .minutes(10))])
        let scene = try await scene(channel, ["10.5", "9.5", "9.5"])
        try await scene.start()
        await scene.poll(2)
        // The first was tried at 0:00 and 1:00; the second waits for it.
        #expect(words(channel.attempts) == ["high firing", "high firing"])
        #expect(try queued(scene).map(\.attempts) == [2, 0])
        await scene.pass(.minutes(8))
        #expect(channel.attempts.count == 2)
        await scene.pass(.minutes(1))
        await scene.sender?.rest()
        #expect(words(channel.delivered) == ["high firing", "high resolved"])
        #expect(Set(channel.attempts.prefix(3).map(\.id)).count == 1)
        #expect(try queued(scene).isEmpty)
        #expect(log(scene, "notify.failed").count == 2)
        await scene.finish()
    }

    @Test("failures are told at the 1st, 2nd, 4th and 8th attempt, and show in the status until it delivers")
    func fails() async throws {
        let channel = ScriptedChannel("ops", Array(repeating: .fail(), count: 9))
        let scene = try await scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        for _ in 1...8 { await scene.pass(.minutes(6)) }
        #expect(channel.attempts.count == 9)
        #expect(
            log(scene, "notify.failed").compactMap { $0.firstMatch(of: /attempts=(\d+)/)?.1 } == ["1", "2", "4", "8"])
        await scene.cycle?.showChange()
        let status = try StatusDocument(parsing: Data(scene.status.utf8))
        #expect(status.reasons?.map(\.code).contains("notify_failing") == true)
        #expect(status.outbox?.queued == 1 && status.outbox?.oldestSeconds == 49 * 60)
        await scene.pass(.minutes(6))
        await scene.cycle?.showChange()
        let after = try StatusDocument(parsing: Data(scene.status.utf8))
        #expect(after.reasons?.map(\.code).contains("notify_failing") == false)
        #expect(after.outbox?.queued == 0)
        await scene.finish()
    }

    @Test("a clock that is set back makes nothing wait longer", arguments: [nil, Duration.minutes(3)])
    func clockSetBack(asked: Duration?) async throws {
        let channel = ScriptedChannel("ops", [.fail(retryAfter: asked)])
        let scene = try await scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        scene.time.set(by: .zero - .hours(5))
        await scene.poll(4)
        #expect(words(channel.delivered) == ["high firing"])
        await scene.finish()
    }

    @Test("a channel that was in trouble still is after a restart, until it delivers")
    func stillFails() async throws {
        let channel = ScriptedChannel("ops", Array(repeating: .fail(), count: 3))
        let scene = try await scene(channel, ["10.5"])
        func faults() throws -> [String] {
            let status = try StatusDocument(parsing: Data(scene.status.utf8))
            return (status.reasons ?? []).filter { $0.code == "notify_failing" }.map(\.message)
        }
        try await scene.start()
        await scene.poll()
        await scene.pass(.seconds(1))
        await scene.stop()
        try await scene.start()
        await scene.cycle?.showChange()
        #expect(try faults() == [], "two failures are not worth a word")
        await scene.pass(.minutes(6))
        await scene.stop()
        try await scene.start()
        await scene.cycle?.showChange()
        #expect(channel.attempts.count == 3)
        #expect(try faults().first?.contains("send to ops: it is down") == true)
        await scene.pass(.minutes(6))
        await scene.cycle?.showChange()
        #expect(channel.delivered.count == 1)
        #expect(try faults() == [])
        await scene.finish()
    }

    @Test("a refusal is dropped loudly")
    func refused() async throws {
        let channel = ScriptedChannel("ops", [.refuse])
        let scene = try await scene(channel, ["10.5", "10.5", "9.5"])
        try await scene.start()
        await scene.poll(2)
        #expect(try queued(scene).isEmpty)
        #expect(log(scene, "notify.dropped").first?.contains(" reason=refused message=\"send to ops: 404\"") == true)
        let status = try StatusDocument(parsing: Data(scene.status.utf8))
        #expect(status.reasons?.map(\.code) == ["notify_failing"])
        await scene.poll()
        #expect(words(channel.delivered) == ["high resolved"])
        await scene.finish()
    }

    @Test("a daemon that starts anew goes on where it stood, and not before it may")
    func restart() async throws {
        let channel = ScriptedChannel("ops", [.fail(retryAfter: .hours(1)), .fail()])
        let scene = try await scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        await scene.stop()
        scene.time.step(.minutes(58))
        try await scene.start()
        #expect(channel.attempts.count == 1)
        await scene.stop()
        scene.time.step(.minutes(1))
        try await scene.start()
        await scene.sender?.rest()
        #expect(channel.attempts.count == 2)
        await scene.stop()
        scene.time.step(.minutes(1))
        try await scene.start()
        await scene.sender?.rest()
        #expect(words(channel.delivered) == ["high firing"])
        #expect(Set(channel.attempts.map(\.id)).count == 1)
        #expect(log(scene, "notify.sent").first?.contains(" attempts=3 ") == true)
        await scene.finish()
    }

    @Test("what could not be delivered for max_age is given up, also where nobody ran meanwhile")
    func maxAge() async throws {
        let channel = ScriptedChannel("ops", [.fail()])
        let scene = try await scene(channel, ["10.5"], channels: ", max_age: 1h")
        try await scene.start()
        await scene.poll()
        await scene.stop()
        scene.time.step(.hours(1))
        try await scene.start()
        await scene.sender?.rest()
        #expect(try queued(scene).count == 1, "it is as old as that if this clock is right")
        await scene.poll()
        #expect(words(channel.attempts) == ["high firing", "gap"])
        #expect(try queued(scene).isEmpty)
        #expect(log(scene, "notify.dropped").first?.contains(" reason=max_age ") == true)
        await scene.finish()
    }

    @Test("a channel that is gone from the configuration takes its messages with it, and the log says so")
    func vanished() async throws {
        let channel = ScriptedChannel("ops", [.fail()])
        let scene = try await scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        await scene.sender?.become([], [], log: .silent) { _ in channel }
        #expect(try queued(scene).isEmpty)
        #expect(await scene.sender?.report.size.queued == 0)
        await scene.finish()
    }

    @Test("when it stops, what hangs is broken off and stays queued")
    func stops() async throws {
        let channel = ScriptedChannel("ops", [.hang])
        let scene = try await scene(channel, ["10.5"])
        try await scene.start()
        _ = await scene.cycle?.turn()
        await scene.stop()
        #expect(try queued(scene).map(\.attempts) == [0])
        #expect(log(scene, "notify.failed").isEmpty)
        try await scene.start()
        await scene.sender?.rest()
        #expect(words(channel.delivered) == ["high firing"])
        await scene.finish()
    }

    @Test("more than five events of a poll come as one message, and a hundred messages never more than four at once")
    func many() async throws {
        let rules = (1...6).map { "{name: r\($0), market: bitcoin, above: 10}" }.joined(separator: ", ")
        let channel = ScriptedChannel("ops")
        let grouped = try await scene(channel, ["10.5", "9.5"], alerts: "[\(rules)]")
        try await grouped.start()
        await grouped.poll(2)
        #expect(channel.delivered.map { $0.events.count } == [6, 6])
        await grouped.finish()

        let single = ScriptedChannel("ops")
        let scene = try await scene(
            single, (1...20).map { $0 % 2 == 0 ? "9.5" : "10.5" },
            alerts: "[\((1...5).map { "{name: r\($0), market: bitcoin, above: 10}" }.joined(separator: ", "))]")
        try await scene.start()
        await scene.poll(20)
        #expect(single.delivered.count == 100)
        #expect(single.mostAtOnce <= 4)
        for rule in 1...5 {
            let kinds = single.delivered.flatMap(\.events).filter { $0.rule == "r\(rule)" }.map(\.kind)
            #expect(kinds == (1...20).map { $0 % 2 == 1 ? .firing : .resolved })
        }
        await scene.finish()
    }

    @Test("at night what is not critical is kept, across a restart, and comes in the morning as one message")
    func quiet() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(
            channel, ["10.5", "9.5", "10.5", "9.5", "9.5", "10.5"],
            alerts:
                "[{name: high, market: bitcoin, above: 10}, {name: worst, market: bitcoin, above: 10, severity: critical}]",
            channels: ", quiet: \"10:00-10:05\"")
        try await scene.start()
        await scene.poll(2)
        #expect(words(channel.delivered) == ["worst firing", "worst resolved"])
        #expect(try queued(scene).allSatisfy(\.isHeld))
        await scene.stop()
        try await scene.start()
        await scene.poll(2)
        #expect(channel.delivered.count == 4)
        await scene.pass(.minutes(1))
        let morning = try #require(channel.delivered.last)
        #expect(words([morning]) == ["high firing, high resolved, high firing, high resolved"])
        #expect(morning.id == MessageID.of(morning.events.map(\.id), to: "ops"))
        #expect(MessageText(morning).lines.count == 4)
        #expect(try queued(scene).isEmpty)
        await scene.finish()
    }

    @Test("after a gap longer than ten minutes one message tells of it, with what changed")
    func gap() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5", "10.5", "10.5"])
        try await scene.start()
        await scene.poll()
        await scene.stop()
        scene.time.step(.hours(3))
        try await scene.start()
        await scene.poll(2)
        #expect(words(channel.delivered) == ["gap, high firing"])
        let text = MessageText(try #require(channel.delivered.first))
        #expect(text.headline == "Nothing was watched for 3 h")
        #expect(
            text.lines.prefix(2) == [
                "from 2026-11-21T10:00:00Z to 2026-11-21T13:01:00Z", "nothing of it can be healed",
            ])
        await scene.finish()
    }

    @Test(
        "the day's summary is told once, whatever happens around its moment", arguments: [true, false], [true, false])
    func digestOnce(reloading: Bool, waiting: Bool) async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5"], more: "digest: {at: \"10:02\", notify: [ops]}")
        try await scene.start()
        await scene.poll()
        if waiting { scene.simulator.setFaults([.status(429, retryAfter: 3600)]) }
        await scene.poll(3)
        if reloading {
            try await scene.reload(scene.rules)
        } else {
            await scene.stop()
            try await scene.start()
        }
        await scene.poll(2)
        #expect(words(channel.delivered) == ["digest"])
        await scene.finish()
    }

    @Test("a daemon that is killed between a poll and the day's summary tells it when it is back")
    func digestAfterKill() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5"], more: "digest: {at: \"10:02\", notify: [ops]}")
        try await scene.start()
        await scene.poll(3)
        await scene.stop()
        scene.time.step(.hours(24))
        let history = try HistoryWriter(at: scene.database)
        try history.record(
            PollRecord(
                at: scene.time.now(), fetchedAt: scene.time.now(), feed: "coingecko", currency: .usd,
                outcome: .unchanged))
        try history.close()
        scene.time.step(.seconds(10))
        try await scene.start()
        await scene.poll(2)
        #expect(words(channel.delivered) == ["digest", "digest"])
        await scene.finish()
    }

    @Test("the day's summary goes to the channels that digest names")
    func digest() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5"], more: "digest: {at: \"10:02\", notify: [ops]}")
        try await scene.start()
        await scene.poll(5)
        #expect(words(channel.delivered) == ["digest"])
        #expect(log(scene, "summary.24h").count == 1)
        await scene.finish()
    }

    @Test("where the database cannot be written, messages go out all the same, and only once")
    func fullDisk() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel, ["9.5", "10.5", "9.5", "10.5", "10.5"])
        try await scene.start()
        await scene.poll()
        let lifted = try WriteRefusal(scene.database)
        await scene.poll(2)
        #expect(words(channel.delivered) == ["high firing", "high resolved"])
        try lifted.lift()
        await scene.poll(2)
        #expect(words(channel.delivered) == ["high firing", "high resolved", "high firing"])
        let reader = try HistoryReader(at: scene.database)
        #expect(try reader.events(since: .distantPast).count == 3)
        #expect(try queued(scene).isEmpty)
        await scene.stop()
        try await scene.start()
        await scene.sender?.rest()
        #expect(channel.delivered.count == 3)
        await scene.finish()
    }
}
