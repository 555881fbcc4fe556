import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct DigestTests {
    private func date(_ text: String) throws -> Date { try #require(Date(utcText: text)) }

    /// An engine that is asked now and then whether the day's summary is due.
    private struct Days {
        var engine: Engine

        /// - Parameter lookedAt: What was due until then was sent.
        init(_ hour: Int, _ minute: Int, in zone: Zone = .utc, lookedAt: Date) {
            var settings = Settings.test(digest: DigestTime(at: TimeOfDay(hour: hour, minute: minute)))
            settings.zone = zone
            engine = Engine(
                settings, remembering: MemoryHistory().remembered(settings, at: lookedAt),
                at: Moment(wall: lookedAt, uptime: .zero, awake: .zero))
        }

        /// The moment that it was due at; nil where it is not.
        mutating func due(at now: Date) -> Date? {
            var plan = Plan()
            engine.sendDigestIfDue(at: now, &plan)
            return plan.commit?.digest
        }
    }

    @Test("due once a day, at its time", arguments: [60.0, 300, 3600])
    func onceADay(every: Double) throws {
        let start = try date("2026-11-20T00:00:30Z")
        var days = Days(7, 0, lookedAt: start)
        var sent: [Date] = []
        for step in 1...Int(5 * 86_400 / every) {
            let now = start.addingTimeInterval(Double(step) * every)
            if days.due(at: now) != nil { sent.append(now) }
        }
        #expect(sent.count == 5)
        for (moment, day) in zip(sent, 20...24) {
            let due = try date("2026-11-\(day)T07:00:00Z")
            #expect((0..<every).contains(moment.timeIntervalSince(due)))
        }
    }

    @Test("what was missed is made up for once; nothing is sent twice after a restart")
    func restarts() throws {
        var late = Days(7, 0, lookedAt: try date("2026-11-18T12:00:00Z"))
        #expect(late.due(at: try date("2026-11-21T05:00:00Z")) != nil)
        #expect(late.due(at: try date("2026-11-21T05:01:00Z")) == nil)
        var again = Days(7, 0, lookedAt: try date("2026-11-21T07:00:10Z"))
        #expect(again.due(at: try date("2026-11-21T07:00:40Z")) == nil)
    }

    @Test(
        "when the clocks are set, it is due at its time by them; at the first of two, and at none that is skipped",
        arguments: [
            ("America/Los_Angeles", 7, 0, "2026-03-07T15:00:00Z"),
            ("America/Los_Angeles", 7, 0, "2026-03-08T14:00:00Z"),
            ("America/Los_Angeles", 7, 0, "2026-03-09T14:00:00Z"),
            ("America/Los_Angeles", 7, 0, "2026-10-31T14:00:00Z"),
            ("America/Los_Angeles", 7, 0, "2026-11-01T15:00:00Z"),
            ("America/Los_Angeles", 7, 0, "2026-11-02T15:00:00Z"),
            ("America/Los_Angeles", 2, 30, "2026-03-08T10:30:00Z"),
            ("America/Los_Angeles", 1, 30, "2026-11-01T08:30:00Z"),
            ("Europe/Berlin", 2, 30, "2026-03-29T01:30:00Z"), ("Europe/Berlin", 2, 30, "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", 0, 0, "2026-03-28T23:00:00Z"), ("Europe/Berlin", 0, 0, "2026-10-25T23:00:00Z"),
            ("Pacific/Kiritimati", 7, 0, "2026-06-01T17:00:00Z"), ("Asia/Kathmandu", 7, 0, "2026-06-01T01:15:00Z"),
        ])
    func clocksAreSet(zone: String, hour: Int, minute: Int, moment: String) throws {
        let zone = try #require(Zone(named: zone))
        let due = try date(moment)
        // Each quarter of an hour from 20 hours before to 20 hours after: once, and no other time.
        var days = Days(hour, minute, in: zone, lookedAt: due.addingTimeInterval(-20 * 3600))
        let sent = (-80...80).compactMap { days.due(at: due.addingTimeInterval(Double($0) * 900)) }
        #expect(sent == [due])
    }

    @Test("the time is the zone's, in summer and in winter")
    func zones() throws {
        let berlin = try #require(Zone(named: "Europe/Berlin"))
        for (before, after) in [
            ("2026-07-01T04:59:00Z", "2026-07-01T05:00:00Z"), ("2026-12-01T05:59:00Z", "2026-12-01T06:00:00Z"),
            ("2026-10-25T05:59:00Z", "2026-10-25T06:00:00Z"), ("2026-03-29T04:59:00Z", "2026-03-29T05:00:00Z"),
        ] {
            var days = Days(7, 0, in: berlin, lookedAt: try date(before).addingTimeInterval(-7200))
            #expect(days.due(at: try date(before)) == nil)
            #expect(days.due(at: try date(after)) != nil)
        }
    }

    // MARK: In cycles

    private func scene() -> EngineScene {
        EngineScene(
            .test(digest: DigestTime(at: TimeOfDay(hour: 10, minute: 2)), digestTo: ["ops"]),
            feeds: ["a": [gives("9.5")]])
    }

    @Test("the day's summary goes to the channels that digest names")
    func digest() {
        var scene = scene()
        scene.poll(5)
        #expect(scene.delivered.map(\.words) == ["digest"])
        #expect(scene.delivered.first?.at == moment(120))
        #expect(scene.log("summary.24h").count == 1)
    }

    @Test(
        "the day's summary is sent once, whatever happens around its moment", arguments: [true, false], [true, false])
    func once(reloading: Bool, waiting: Bool) {
        var scene = scene()
        scene.poll()
        if waiting { scene.replies["a"] = [refuses(for: .hours(1)), waits(until: scene.now.wall + .hours(1))] }
        scene.poll(3)
        if reloading { scene.reload() } else { scene.restart() }
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["digest"])
        #expect(scene.log("summary.24h").count == 1)
    }

    @Test("a daemon that is killed between a poll and the day's summary sends it when it is back")
    func afterKill() {
        var scene = scene()
        scene.poll(3)
        scene.step(.hours(24))
        var commit = Commit(currency: usd())
        commit.polls = [
            PollRecord(
                at: scene.now.wall, fetchedAt: scene.now.wall, feed: "a", currency: usd(), outcome: .unchanged)
        ]
        scene.write(commit)
        scene.step(.seconds(10))
        scene.restart()
        scene.poll(2)
        #expect(scene.delivered.map(\.words) == ["digest", "digest"])
    }
}
