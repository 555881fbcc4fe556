import Engine
import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Quota")
struct QuotaTests {
    let quota = Quota(requestsPerMonth: 10_000)
    let monthBegin = Date(utcText: "2026-12-01T00:00:00Z") ?? .distantPast

    @Test(arguments: [(1, 60, 44_640), (1, 300, 8_928), (4, 300, 35_712), (1, 268, 9_995), (0, 60, 0)])
    func costOfTheLongestMonth(_ pages: Int, _ seconds: Int, _ requests: Int) {
        #expect(Quota.cost(pages: pages, every: .seconds(seconds)) == requests)
    }

    @Test func theIntervalStretchesSoThatItLasts() {
        let stretched = quota.interval(every: .seconds(60), pages: 1, used: 0, now: monthBegin)
        #expect(stretched == .milliseconds(267_840))
        #expect(quota.end(interval: stretched, pages: 1, used: 0, now: monthBegin) == nil)
        #expect(quota.interval(every: .seconds(300), pages: 1, used: 0, now: monthBegin) == .seconds(300))
        #expect(quota.interval(every: .seconds(300), pages: 2, used: 0, now: monthBegin) == .milliseconds(535_680))
    }

    @Test func withNothingLeftItReachesToTheMonthsEnd() {
        let tenth = Date(utcText: "2026-12-10T00:00:00Z") ?? .distantPast
        #expect(quota.interval(every: .seconds(300), pages: 1, used: 10_000, now: tenth) == .hours(22 * 24))
        #expect(quota.interval(every: .seconds(300), pages: 3, used: 9_998, now: tenth) == .hours(22 * 24))
        #expect(quota.end(interval: .seconds(300), pages: 1, used: 12_000, now: tenth) == tenth)
    }

    @Test func forecast() {
        #expect(
            quota.end(interval: .seconds(60), pages: 1, used: 0, now: monthBegin)?.utcText == "2026-12-07T22:40:00Z")
        #expect(quota.end(interval: .seconds(300), pages: 1, used: 0, now: monthBegin) == nil)
    }

    /// Steps through a month of polls at the stretched interval, with a retry now and then.
    @Test func aMonthOfPollsStaysWithin() {
        var now = monthBegin
        var used = 0
        while now < UTCMonth(monthBegin).end {
            used += used % 50 == 7 ? 3 : 1
            now = now + quota.interval(every: .seconds(60), pages: 1, used: used, now: now)
        }
        #expect(used <= 10_002)
        #expect(used > 9_900)
    }

    @Test(arguments: [
        ("2026-11-30T23:59:59Z", "2026-11", "2026-12-01T00:00:00Z"),
        ("2026-12-31T23:59:59Z", "2026-12", "2027-01-01T00:00:00Z"),
        ("2028-02-29T12:00:00Z", "2028-02", "2028-03-01T00:00:00Z"),
    ])
    func months(_ time: String, _ name: String, _ end: String) throws {
        let month = UTCMonth(try #require(Date(utcText: time)))
        #expect(month.description == name)
        #expect(month.end.utcText == end)
        #expect(month < month.next)
    }
}
