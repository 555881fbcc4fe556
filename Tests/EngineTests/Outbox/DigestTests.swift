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
        init(_ hour: Int, _ minute: Int, on days: Weekdays = .daily, in zone: Zone = .utc, lookedAt: Date) {
            var settings = Settings.test(digest: DigestTime(at: TimeOfDay(hour: hour, minute: minute), on: days))
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

    @Test(
        "due on its days by the zone's clock alone, once each",
        arguments: [
            // 2026-11-16 is a Monday. Eastwards of Greenwich it begins a day earlier there.
            ("mon", "UTC", ["16", "23", "30"]), ("mon,thu", "UTC", ["16", "19", "23", "26", "30"]),
            ("sat-mon", "UTC", ["16", "21", "22", "23", "28", "29", "30"]),
            ("mon", "Pacific/Kiritimati", ["15", "22", "29"]), ("tue", "America/St_Johns", ["17", "24"]),
        ])
    func days(on: String, zone: String, expected: [String]) throws {
        let zone = try #require(Zone(named: zone))
        let start = try date("2026-11-15T12:00:00Z")
        var days = Days(7, 0, on: try #require(Weekdays(on)), in: zone, lookedAt: start)
        let sent = (1...(15 * 24)).compactMap { days.due(at: start + .hours($0)) }
        #expect(sent.map { $0.utcText.dropFirst(8).prefix(2) } == expected.map { $0[...] })
        #expect(sent.allSatisfy { zone.digits($0, .secondsOfDay) == "07:00:00" })
    }

    @Test("what a stopped daemon missed of one day of the week comes at its return, once, on whatever day that is")
    func missedDay() throws {
        let monday = try #require(Weekdays("mon"))
        var late = Days(7, 0, on: monday, lookedAt: try date("2026-11-14T12:00:00Z"))
        let monday16 = try date("2026-11-16T07:00:00Z")
        #expect(late.due(at: try date("2026-11-18T05:00:00Z")) == monday16)
        #expect(late.due(at: try date("2026-11-18T07:00:00Z")) == nil)
        var again = Days(7, 0, on: monday, lookedAt: try date("2026-11-16T07:00:00Z"))
        #expect(again.due(at: try date("2026-11-23T06:59:59Z")) == nil)
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

    @Test("its message has price and change of the named markets, at most 20, and never a number that is not known")
    func prices() throws {
        var scene = EngineScene(
            .test(
                (1...22).map { "m\($0)" }, digest: DigestTime(at: TimeOfDay(hour: 10, minute: 2)), digestTo: ["ops"]),
            feeds: ["a": [gives { ["m2": nil, "m3": "0.00001234"][$0.text] ?? "59990.5" }]])
        scene.poll(3)
        let note = try #require(scene.delivered.first?.contents.note)
        #expect(note.lines.count == 22)
        #expect(
            note.lines.prefix(3) == [
                "m1 59,990.5 usd, 24h change unknown", "m2 missing (not_answered)",
                "m3 0.00001234 usd, 24h change unknown",
            ])
        #expect(note.lines[20] == "and 2 more")
        #expect(note.lines[21] == "0.1 % of the time covered (watching began 2 min ago)")
    }

    @Test("a stale price is said to be stale")
    func stale() throws {
        var market = StatusReport.Market()
        (market.market, market.price, market.state) = (EngineTests.market("bitcoin"), price("59990"), .stale)
        #expect(market.digestLine == "bitcoin 59,990 usd, stale")
        (market.state, market.change, market.currency) = (.fresh, Percent(hundredths: -125), try Currency("eur"))
        #expect(market.digestLine == "bitcoin 59,990 eur, -1.25 %")
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
        var commit = Commit()
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
