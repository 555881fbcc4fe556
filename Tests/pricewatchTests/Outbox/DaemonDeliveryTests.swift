import Engine
import Foundation
import History
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// The daemon on a simulated market, with channels that fail as they are told, and time stepped by hand. What is decided
/// when is in `DeliveryTests` of the engine; this is about what the database keeps across a restart and a fault.
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
