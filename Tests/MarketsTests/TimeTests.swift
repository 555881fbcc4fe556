import Foundation
import Testing

@testable import Markets

@Suite struct TimeTests {
    @Test(
        "times are read with any zone and fraction",
        arguments: [
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:00.123456Z", "2026-11-21T10:00:00.123Z"),
            ("2024-02-29T23:59:59.5+01:30", "2024-02-29T22:29:59.500Z"),
            ("2025-07-25 14:54:00 +0000", "2025-07-25T14:54:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("2023-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-11-21", nil),
            ("2026-11-21T10:00:00", nil), ("2026-11-21T10:00:00.Z", nil), ("2026-11-21T10:00:00Z ", nil),
        ] as [(String, String?)])
    func reads(text: String, expected: String?) {
        #expect(Date(utcText: text)?.utcTextWithMilliseconds == expected)
    }

    @Test("every month from the year 0000 to 9999 is written as it is read, in order")
    func tenThousandYears() throws {
        var last = Int64.min
        for year in stride(from: 0, through: 9999, by: 3) {
            for month in [1, 2, 3, 12] {
                let pad = { (value: Int, digits: Int) in
                    String(repeating: "0", count: digits - "\(value)".count) + "\(value)"
                }
                let text = "\(pad(year, 4))-\(pad(month, 2))-28T23:59:59Z"
                let date = try #require(Date(utcText: text))
                #expect(date.utcText == text)
                #expect(date.milliseconds > last)
                last = date.milliseconds
            }
        }
        #expect(Date(utcText: "0000-02-29T00:00:00Z")?.utcText == "0000-02-29T00:00:00Z")
        #expect(Date(utcText: "0000-03-01T00:00:00Z")?.timeIntervalSince1970 == -62_162_035_200)
    }

    @Test(
        "what lies before the year 0000 or after 9999 is no time to read, and stands at the end of these when it is written",
        arguments: [
            (-62_167_219_201, "0000-01-01T00:00:00.000Z"), (-1e14, "0000-01-01T00:00:00.000Z"),
            (-.greatestFiniteMagnitude, "0000-01-01T00:00:00.000Z"), (253_402_300_800, "9999-12-31T23:59:59.999Z"),
            (1e14, "9999-12-31T23:59:59.999Z"), (.greatestFiniteMagnitude, "9999-12-31T23:59:59.999Z"),
        ] as [(Double, String)])
    func beyond(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).utcTextWithMilliseconds == text)
        #expect(Date(utcText: "0000-01-01T00:00:00+00:01") == nil)
        #expect(Date(utcText: "9999-12-31T23:59:59-00:01") == nil)
    }

    @Test("every day of four centuries agrees with Foundation's calendar")
    func agreesWithCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for day in stride(from: -30_000, to: 120_000, by: 61) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_723)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let (year, month, dayOfMonth) = (
                try #require(parts.year), try #require(parts.month), try #require(parts.day)
            )
            let pad = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
            #expect(date.utcText == "\(year)-\(pad(month))-\(pad(dayOfMonth))T01:02:03Z")
            #expect(Date(utcText: date.utcText) == date)
        }
    }

    @Test(
        "a duration beyond a thousand years is told from what is none",
        arguments: [
            ("999999999w", true), ("99999999999999999999s", true), ("365000d1ms", true), ("365000d", false),
            ("1y", false),
            ("999999999999999999999", false), ("9999999999w1w", false), ("", false),
        ])
    func tooLong(text: String, isTooLong: Bool) { #expect(Duration.isTooLong(unitsText: text) == isTooLong) }

    @Test(
        "durations name their units, largest first",
        arguments: [
            ("90s", 90_000), ("1h30m", 5_400_000), ("2w", 1_209_600_000), ("1d12h", 129_600_000), ("500ms", 500),
            ("1m500ms", 60_500), ("0s", 0), ("", nil), ("10", nil), ("30m1h", nil), ("1h1h", nil), ("1.5h", nil),
            ("-1h", nil), ("1 h", nil), ("1y", nil), ("99999999999999999999s", nil), ("999999999w", nil), ("s", nil),
            ("365000d", 31_536_000_000_000), ("365000d1ms", nil),
        ] as [(String, Int64?)])
    func durations(text: String, milliseconds: Int64?) {
        #expect(Duration(unitsText: text)?.inMilliseconds == milliseconds)
        if let milliseconds {
            let written = Duration.milliseconds(milliseconds).unitsText
            #expect(Duration(unitsText: written)?.inMilliseconds == milliseconds)
        }
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
    }
}
