import Engine
import Foundation
import History
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// The daemon on a simulated market, with channels that fail as they are told, and time stepped by hand. What is decided
/// when is in `DeliveryTests` of the engine; this is about what the database, the log and the channels make of it.
@Suite struct DaemonDeliveryTests {
    private static let bitcoin = Told.id("bitcoin")

    private func scene(
        _ channel: ScriptedChannel, _ prices: [String], alerts: String? = nil, channels: String = "", more: String = ""
    ) throws -> DaemonScene {
        let scene = try DaemonScene(
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
            if let note = message.note {
                return ([note.kind.rawValue] + events).joined(separator: ", ")
            }
            return events.joined(separator: ", ")
        }
    }

    @Test("what happens is sent at once, is gone from the outbox, and stands in the log")
    func sends() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel, ["9.5", "10.5", "9.5"])
        try await scene.start()
        await scene.poll(3)
        #expect(words(channel.delivered) == ["high firing", "high resolved"])
        #expect(try scene.queued().isEmpty)
        let sent = scene.log("notify.sent")
        #expect(sent.count == 2)
        let id = try #require(channel.delivered.first).id
        #expect(sent.first?.contains("info notify.sent channel=ops id=\(id) rule=high market=bitcoin ") == true)
        #expect(sent.first?.contains(" attempts=1 ") == true && sent.first?.hasSuffix(" answer=ok") == true)
        await scene.stop()
    }

    @Test("what fails is tried again later, under the same id, and the alert's next message waits for it")
    func retries() async throws {
        let channel = ScriptedChannel("ops", [.fail(), .fail(retryAfter: .minutes(10))])
        let scene = try scene(channel, ["10.5", "9.5", "9.5"])
        try await scene.start()
        await scene.poll(2)
        // The first was tried at 0:00 and 1:00; the second waits for it.
        #expect(words(channel.attempts) == ["high firing", "high firing"])
        #expect(try scene.queued().map(\.attempts) == [2, 0])
        await scene.pass(.minutes(8))
        #expect(channel.attempts.count == 2)
        await scene.pass(.minutes(1))
        #expect(words(channel.delivered) == ["high firing", "high resolved"])
        #expect(Set(channel.attempts.prefix(3).map(\.id)).count == 1)
        #expect(try scene.queued().isEmpty)
        #expect(scene.log("notify.failed").count == 2)
        await scene.stop()
    }

    @Test("failures show in the status file until the channel delivers")
    func fails() async throws {
        let channel = ScriptedChannel("ops", Array(repeating: .fail(), count: 9))
        let scene = try scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        for _ in 1...8 { await scene.pass(.minutes(6)) }
        #expect(channel.attempts.count == 9)
        #expect(
            scene.log("notify.failed").compactMap { $0.firstMatch(of: /attempts=(\d+)/)?.1 } == ["1", "2", "4", "8"])
        #expect(try scene.status().reasons.map(\.code).contains("notify_failing"))
        #expect(try scene.status().outbox.queued == 1)
        await scene.pass(.minutes(6))
        #expect(try !scene.status().reasons.map(\.code).contains("notify_failing"))
        #expect(try scene.status().outbox.queued == 0)
        await scene.stop()
    }

    @Test("a channel that was in trouble still is after a restart, until it delivers")
    func stillFails() async throws {
        let channel = ScriptedChannel("ops", Array(repeating: .fail(), count: 3))
        let scene = try scene(channel, ["10.5"])
        func faults() async throws -> [String] {
            let daemon = try #require(scene.daemon)
            let report = await daemon.engine.status(at: scene.time.moment)
            return report.reasons.filter { $0.code == "notify_failing" }.map(\.message)
        }
        try await scene.start()
        await scene.poll()
        await scene.pass(.seconds(1))
        await scene.stop()
        try await scene.start()
        #expect(try await faults() == [], "two failures are not worth a word")
        await scene.pass(.minutes(6))
        await scene.stop()
        try await scene.start()
        #expect(channel.attempts.count == 3)
        #expect(try await faults().first?.contains("send to ops: it is down") == true)
        await scene.pass(.minutes(6))
        #expect(channel.delivered.count == 1)
        #expect(try await faults() == [])
        await scene.stop()
    }

    @Test("a refusal is dropped loudly")
    func refused() async throws {
        let channel = ScriptedChannel("ops", [.refuse])
        let scene = try scene(channel, ["10.5", "10.5", "9.5"])
        try await scene.start()
        await scene.poll(2)
        #expect(try scene.queued().isEmpty)
        #expect(scene.log("notify.dropped").first?.contains(" reason=refused message=\"send to ops: 404\"") == true)
        #expect(try scene.status().reasons.map(\.code) == ["notify_failing"])
        await scene.poll()
        #expect(words(channel.delivered) == ["high resolved"])
        await scene.stop()
    }

    @Test("a daemon that starts anew goes on where it stood, and not before it may")
    func restart() async throws {
        let channel = ScriptedChannel("ops", [.fail(retryAfter: .minutes(6)), .fail()])
        let scene = try scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        for (minutes, attempts) in [(4, 1), (1, 2), (1, 3)] {
            await scene.stop()
            scene.time.step(.minutes(minutes))
            try await scene.start()
            await scene.wake()
            #expect(channel.attempts.count == attempts)
        }
        #expect(words(channel.delivered) == ["high firing"])
        #expect(Set(channel.attempts.map(\.id)).count == 1)
        #expect(scene.log("notify.sent").first?.contains(" attempts=3 ") == true)
        await scene.stop()
    }

    @Test("what could not be delivered for max_age is given up, also where nobody ran meanwhile")
    func maxAge() async throws {
        let channel = ScriptedChannel("ops", [.fail()])
        let scene = try scene(channel, ["10.5"], channels: ", max_age: 1h")
        try await scene.start()
        await scene.poll()
        await scene.stop()
        scene.time.step(.hours(1))
        try await scene.start()
        await scene.pass(.zero)
        #expect(try scene.queued().count == 1, "it is as old as that if this clock is right")
        await scene.poll()
        #expect(words(channel.attempts) == ["high firing", "gap"])
        #expect(try scene.queued().isEmpty)
        #expect(scene.log("notify.dropped").first?.contains(" reason=max_age ") == true)
        await scene.stop()
    }

    @Test("a channel that is gone from the configuration takes its messages with it, and the log says so")
    func vanished() async throws {
        let channel = ScriptedChannel("ops", [.fail()])
        let scene = try scene(channel, ["10.5"])
        try await scene.start()
        await scene.poll()
        #expect(try scene.queued().count == 1)
        try await scene.reload(scene.rules.replacing("notify: {ops: {exec: [/bin/true]}}", with: "notify: {}"))
        #expect(try scene.queued().isEmpty)
        #expect(scene.log("notify.dropped").first?.contains(" reason=no_channel ") == true)
        #expect(try scene.status().outbox.queued == 0)
        await scene.stop()
    }

    @Test("when it stops, what hangs is broken off and stays queued")
    func stops() async throws {
        let channel = ScriptedChannel("ops", [.hang])
        let scene = try scene(channel, ["10.5"])
        try await scene.start()
        let daemon = try #require(scene.daemon)
        let running = Task { await daemon.run() }
        while channel.attempts.isEmpty { await Task.yield() }
        daemon.stop()
        while await daemon.engine.status(at: scene.time.moment).state != .stopping { await Task.yield() }
        // It is given two seconds, which do not pass here by themselves.
        scene.time.step(.seconds(2))
        daemon.stop()
        _ = await running.value
        #expect(try scene.queued().map(\.attempts) == [0])
        #expect(scene.log("notify.failed").isEmpty)
        try await scene.start()
        await scene.wake()
        #expect(words(channel.delivered) == ["high firing"])
        await scene.stop()
    }

    @Test("a hundred messages never go more than four at once, those of an alert in their order")
    func many() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(
            channel, (1...20).map { $0 % 2 == 0 ? "9.5" : "10.5" },
            alerts: "[\((1...5).map { "{name: r\($0), market: bitcoin, above: 10}" }.joined(separator: ", "))]")
        try await scene.start()
        await scene.poll(20)
        #expect(channel.delivered.count == 100)
        #expect(channel.mostAtOnce <= 4)
        for rule in 1...5 {
            let kinds = channel.delivered.flatMap(\.events).filter { $0.rule == "r\(rule)" }.map(\.kind)
            #expect(kinds == (1...20).map { $0 % 2 == 1 ? .firing : .resolved })
        }
        await scene.stop()
    }

    @Test("at night what is not critical is kept, across a restart, and comes in the morning as one message")
    func quiet() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(
            channel, ["10.5", "9.5", "10.5", "9.5", "9.5", "10.5"],
            alerts:
                "[{name: high, market: bitcoin, above: 10}, {name: worst, market: bitcoin, above: 10, severity: critical}]",
            channels: ", quiet: \"10:00-10:05\"")
        try await scene.start()
        await scene.poll(2)
        #expect(words(channel.delivered) == ["worst firing", "worst resolved"])
        #expect(try scene.queued().allSatisfy(\.isHeld))
        await scene.stop()
        try await scene.start()
        await scene.poll(2)
        #expect(channel.delivered.count == 4)
        await scene.pass(.minutes(1))
        let morning = try #require(channel.delivered.last)
        #expect(words([morning]) == ["high firing, high resolved, high firing, high resolved"])
        #expect(MessageText(morning).lines.count == 4)
        #expect(try scene.queued().isEmpty)
        #expect(scene.log("notify.dropped").isEmpty)
        await scene.stop()
    }

    @Test("after a gap longer than ten minutes one message speaks of it, with what changed")
    func gap() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel, ["9.5", "10.5", "10.5"])
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
                "from 2026-11-21T10:00:00Z to 2026-11-21T13:01:00Z", "nothing of it can be backfilled",
            ])
        #expect(text.lines.contains { $0.contains("BTC") })
        await scene.stop()
    }

    @Test("the day's summary goes to the channels that digest names")
    func digest() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel, ["9.5"], more: "digest: {at: \"10:02\", notify: [ops]}")
        try await scene.start()
        await scene.poll(5)
        await scene.stop()
        try await scene.start()
        await scene.poll()
        #expect(words(channel.delivered) == ["digest"])
        #expect(scene.log("summary.24h").count == 1)
        await scene.stop()
    }

    @Test("where the database cannot be written, messages go out all the same, and only once")
    func fullDisk() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel, ["9.5", "10.5", "9.5", "10.5", "10.5"])
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
        #expect(try scene.queued().isEmpty)
        await scene.stop()
        try await scene.start()
        await scene.pass(.zero)
        #expect(channel.delivered.count == 3)
        await scene.stop()
    }
}
