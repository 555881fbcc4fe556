import Foundation
import Markets
import Testing

@testable import Engine

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
}
