import Engine
import Foundation
import Markets
import Testing

@testable import Views
@testable import pricewatch

@Suite struct TimeAxisTests {
    @Test(
        "ticks stand at round times, from minutes to years",
        arguments: [
            ("2026-11-21T10:00:10Z", "2026-11-21T10:01:00Z", "10:00:10 10:00:20 10:00:30 10:00:40 10:00:50 10:01:00"),
            ("2026-11-21T09:21:00Z", "2026-11-21T10:21:00Z", "09:30 09:45 10:00 10:15"),
            ("2026-11-20T10:21:00Z", "2026-11-21T10:21:00Z", "12:00 18:00 Nov 21 06:00"),
            ("2026-11-14T10:00:00Z", "2026-11-21T10:00:00Z", "Nov 15 Nov 17 Nov 19 Nov 21"),
            ("2026-10-01T00:00:00Z", "2026-11-21T00:00:00Z", "Oct 12 Oct 26 Nov 9"),
            ("2026-08-23T10:00:00Z", "2026-11-21T10:00:00Z", "Sep Oct Nov"),
            ("2025-06-15T00:00:00Z", "2026-06-15T00:00:00Z", "Jul Oct 2026 Apr"),
            ("2024-01-06T00:00:00Z", "2026-11-21T00:00:00Z", "2025 2026"),
            ("1990-01-01T00:00:00Z", "2026-11-21T00:00:00Z", "1990 2000 2010 2020"),
            ("0000-01-01T00:00:00Z", "2026-11-21T00:00:00Z", "0000 0500 1000 1500 2000"),
            ("0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0000 5000"),
            ("9999-12-31T23:59:50Z", "9999-12-31T23:59:59Z", "23:59:50 23:59:52 23:59:54 23:59:56 23:59:58"),
        ])
    func labels(start: String, end: String, labels: String) throws {
        let axis = ChartAxis(
            from: try #require(Date(utcText: start)), to: try #require(Date(utcText: end)), ticks: 5, in: .utc)
        #expect(axis.ticks.map(\.label).joined(separator: " ") == labels)
    }

    @Test("a stretch that leaves the calendar at either end", arguments: [-1e12, 1e12, 253_402_300_799])
    func beyond(seconds: Double) {
        for length in [1, 1e5, 1e9, 1e12] {
            let start = Date(timeIntervalSince1970: seconds - (seconds < 0 ? 0 : length / 2))
            let axis = ChartAxis(from: start, to: start.addingTimeInterval(length), ticks: 5, in: .utc)
            #expect(axis.ticks.count <= 6)
        }
    }

    @Test(
        "never more ticks than fit, and all of them within", arguments: [1, 2, 5, 12], [0, 1, 59, 3600, 1e5, 1e7, 1e9])
    func anySpan(count: Int, seconds: Double) {
        let start = ChartScene.moment(3.7)
        let axis = ChartAxis(from: start, to: start.addingTimeInterval(seconds), ticks: count, in: .utc)
        #expect(axis.ticks.count <= count + 1)
        #expect(axis.ticks.allSatisfy { $0.value >= axis.low && $0.value <= axis.high })
        #expect(axis.low < axis.high)
    }
}
