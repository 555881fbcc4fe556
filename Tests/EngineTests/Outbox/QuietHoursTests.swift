import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct QuietHoursTests {
    /// In summer two hours before UTC, in winter one; forward on 2026-03-29 at 01:00Z, back on 2026-10-25 at 01:00Z.
    private static let berlin = "Europe/Berlin"

    @Test(
        arguments: [
            // Over midnight, from the first moment to before the last.
            ("23:00-07:00", "UTC", "2026-11-21T22:59:59Z", nil),
            ("23:00-07:00", "UTC", "2026-11-21T23:00:00Z", "2026-11-22T07:00:00Z"),
            ("23:00-07:00", "UTC", "2026-11-22T00:00:00Z", "2026-11-22T07:00:00Z"),
            ("23:00-07:00", "UTC", "2026-11-22T06:59:59Z", "2026-11-22T07:00:00Z"),
            ("23:00-07:00", "UTC", "2026-11-22T07:00:00Z", nil),
            ("23:00-00:00", "UTC", "2026-12-31T23:30:00Z", "2027-01-01T00:00:00Z"),
            ("00:00-06:00", "UTC", "2026-11-22T00:00:00Z", "2026-11-22T06:00:00Z"),
            // Within a day.
            ("12:00-13:30", "UTC", "2026-11-21T11:59:00Z", nil),
            ("12:00-13:30", "UTC", "2026-11-21T12:00:00Z", "2026-11-21T13:30:00Z"),
            ("12:00-13:30", "UTC", "2026-11-21T13:30:00Z", nil),
            // The zone's own clock.
            ("23:00-07:00", berlin, "2026-11-21T22:00:00Z", "2026-11-22T06:00:00Z"),
            ("23:00-07:00", berlin, "2026-07-01T20:59:00Z", nil),
            ("23:00-07:00", berlin, "2026-07-01T21:00:00Z", "2026-07-02T05:00:00Z"),
            ("23:00-07:00", "Asia/Kolkata", "2026-11-21T17:30:00Z", "2026-11-22T01:30:00Z"),
            // Put forward in the night: an hour less of quiet. Put back: an hour more.
            ("23:00-07:00", berlin, "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"),
            ("23:00-07:00", berlin, "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"),
            // The end lies in the hour that is left out: when the clock jumps over it.
            ("23:00-02:30", berlin, "2026-03-28T23:00:00Z", "2026-03-29T01:00:00Z"),
            // The beginning lies in it: from the jump on.
            ("02:30-07:00", berlin, "2026-03-29T00:59:59Z", nil),
            ("02:30-07:00", berlin, "2026-03-29T01:00:00Z", "2026-03-29T05:00:00Z"),
            // The end lies in the hour that comes twice: each time.
            ("23:00-02:30", berlin, "2026-10-25T00:10:00Z", "2026-10-25T00:30:00Z"),
            ("23:00-02:30", berlin, "2026-10-25T00:40:00Z", nil),
            ("23:00-02:30", berlin, "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"),
            // Put back out of the quiet.
            ("02:30-04:00", berlin, "2026-10-25T00:45:00Z", "2026-10-25T01:00:00Z"),
            ("02:30-04:00", berlin, "2026-10-25T01:30:00Z", "2026-10-25T03:00:00Z"),
            // Half an hour, on the other side of the world, and across the Atlantic.
            ("23:00-07:00", "Australia/Lord_Howe", "2026-10-03T13:00:00Z", "2026-10-03T20:00:00Z"),
            ("23:00-07:00", "America/New_York", "2026-03-08T05:00:00Z", "2026-03-08T11:00:00Z"),
        ] as [(String, String, String, String?)])
    func `quiet while the clock on the wall shows it`(hours: String, zone: String, now: String, end: String?) throws {
        let quiet = try #require(QuietHours(hours))
        let zone = try #require(Zone(named: zone))
        let now = try #require(Date(utcText: now))
        #expect(quiet.end(at: now, in: zone)?.utcText == end)
    }

    @Test(arguments: ["23:00-07:00", "02:30-03:15", "12:00-13:30", "00:00-23:59"])
    func `the end is the first moment of no quiet`(hours: String) throws {
        let quiet = try #require(QuietHours(hours))
        let zone = try #require(Zone(named: Self.berlin))
        var now = try #require(Date(utcText: "2026-03-27T00:00:00Z"))
        for _ in 0..<(4 * 96) {
            if let end = quiet.end(at: now, in: zone) {
                #expect(end > now && quiet.end(at: end, in: zone) == nil)
                #expect(quiet.end(at: end - .seconds(1), in: zone) == end)
            }
            now = now + .minutes(15)
        }
    }
}
