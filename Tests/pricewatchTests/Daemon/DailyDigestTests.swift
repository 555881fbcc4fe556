import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

@Suite struct DailyDigestTests {
    private func date(_ text: String) throws -> Date { try #require(Date(utcText: text)) }

    @Test("due once a day, at its time", arguments: [60.0, 300, 3600])
    func onceADay(every: Double) throws {
        let start = try date("2026-11-20T00:00:30Z")
        var digest = DailyDigest(at: TimeOfDay(hour: 7, minute: 0), in: .gmt, lookedAt: start)
        var told: [Date] = []
        for step in 1...Int(5 * 86_400 / every) {
            let now = start.addingTimeInterval(Double(step) * every)
            if digest.due(at: now) != nil { told.append(now) }
        }
        #expect(told.count == 5)
        for (moment, day) in zip(told, 20...24) {
            let due = try date("2026-11-\(day)T07:00:00Z")
            #expect((0..<every).contains(moment.timeIntervalSince(due)))
        }
    }

    @Test("what was missed is made up for once; nothing is said twice after a restart")
    func restarts() throws {
        var late = DailyDigest(at: TimeOfDay(hour: 7, minute: 0), in: .gmt, lookedAt: try date("2026-11-18T12:00:00Z"))
        #expect(late.due(at: try date("2026-11-21T05:00:00Z")) != nil)
        #expect(late.due(at: try date("2026-11-21T05:01:00Z")) == nil)
        var again = DailyDigest(at: TimeOfDay(hour: 7, minute: 0), in: .gmt, lookedAt: try date("2026-11-21T07:00:10Z"))
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
        let zone = try #require(TimeZone(identifier: zone))
        let due = try date(moment)
        // Each quarter of an hour from 20 hours before to 20 hours after: once, and no other time.
        var digest = DailyDigest(
            at: TimeOfDay(hour: hour, minute: minute), in: zone, lookedAt: due.addingTimeInterval(-20 * 3600))
        let told = (-80...80).compactMap { digest.due(at: due.addingTimeInterval(Double($0) * 900)) }
        #expect(told == [due])
    }

    @Test("the time is the zone's, in summer and in winter")
    func zones() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for (before, after) in [
            ("2026-07-01T04:59:00Z", "2026-07-01T05:00:00Z"), ("2026-12-01T05:59:00Z", "2026-12-01T06:00:00Z"),
            ("2026-10-25T05:59:00Z", "2026-10-25T06:00:00Z"), ("2026-03-29T04:59:00Z", "2026-03-29T05:00:00Z"),
        ] {
            var digest = DailyDigest(
                at: TimeOfDay(hour: 7, minute: 0), in: berlin, lookedAt: try date(before).addingTimeInterval(-7200))
            #expect(digest.due(at: try date(before)) == nil)
            #expect(digest.due(at: try date(after)) != nil)
        }
    }
}
