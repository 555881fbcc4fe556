import Foundation
import TestSupport
import Testing

@testable import Markets

/// Compared with Python's zoneinfo, which reads the same files.
@Suite(.enabled(if: Python.hasZones, "python3 with zoneinfo and its data is not here"))
struct ZoneTests {
    private func zones(_ rows: [[Substring]]) throws -> [Substring: Zone] {
        try Dictionary(
            uniqueKeysWithValues: Set(rows.map { $0[0] }).map { name in
                (name, try #require(Zone(named: String(name)), "\(name)"))
            })
    }

    @Test(
        "offset, abbreviation and text are those of zoneinfo",
        arguments: [(["moments", "7"], 30_000), (["changes"], 10_000)])
    func clocks(arguments: [String], atLeast least: Int) throws {
        let rows = try Python.zones(arguments)
        let zones = try zones(rows)
        var wrong: [String] = []
        for row in rows {
            let seconds = try #require(Double(row[1]))
            let date = Date(timeIntervalSince1970: seconds)
            let zone = try #require(zones[row[0]])
            let (offset, text) = (zone.clock(at: date).offset, zone.text(date))
            if "\(offset)" != row[2] || text != "\(row[4]) \(row[3])" { wrong.append("\(row): \(offset) \(text)") }
        }
        #expect(rows.count > least)
        #expect(wrong.isEmpty, "\(wrong.count) of \(rows.count): \(wrong.prefix(20))")
    }

    @Test("the moments that show a wall time are those of zoneinfo, twice where the clocks are set back")
    func walls() throws {
        let rows = try Python.zones(["walls"])
        let zones = try zones(rows)
        for row in rows {
            let zone = try #require(zones[row[0]])
            let numbers = try row.dropFirst().map { try #require(Double($0)) }
            let moments = zone.moments(showing: numbers[0]).map(\.timeIntervalSince1970)
            #expect(moments.first == numbers[1] && moments.last == numbers[2], "\(row): \(moments)")
        }
        #expect(rows.count > 10_000)
    }
}

/// What is read, and what is not.
@Suite struct ZoneFileTests {
    private func contents(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/" + name)))
    }

    @Test("a file that ends early or holds anything else is no zone", arguments: ["Europe/Berlin", "Asia/Gaza"])
    func damaged(name: String) throws {
        let whole = try contents(name)
        #expect(Zone(name: name, contents: whole) == Zone(named: name))
        let footer = try #require(whole.dropLast().lastIndex(of: 10))
        for length in 0...footer where Zone(name: name, contents: Array(whole[..<length])) != nil {
            // Without its rule, the file says nothing of later years, and that is allowed.
            #expect(length == footer, "\(length) of \(whole.count)")
        }
        var random = SystemRandomNumberGenerator()
        for place in whole.indices {
            var bytes = whole
            bytes[place] = UInt8.random(in: 0...255, using: &random)
            guard let zone = Zone(name: name, contents: bytes) else { continue }
            for seconds in stride(from: -4e9, through: 8e9, by: 1e9) {
                let date = Date(timeIntervalSince1970: seconds)
                #expect(zone.text(date).count > 20 && !zone.moments(showing: seconds).isEmpty)
                _ = zone.nextChange(after: date)
            }
        }
    }

    @Test(
        "names are those of the database, and lead nowhere else",
        arguments: [
            "", "/etc/localtime", "../zoneinfo/Europe/Berlin", "Europe", "Europe/", "Europe//Berlin", "zone.tab",
            "Europe/Nowhere", "GMT+5:17", "right/Europe/Berlin/..",
        ])
    func names(name: String) { #expect(Zone(named: name) == nil) }

    @Test("UTC needs no database")
    func utc() {
        #expect(Zone(named: "UTC", in: "/nowhere") == .utc)
        #expect(Zone(named: "Europe/Berlin", in: "/nowhere") == nil)
    }

    @Test(
        "the rules of POSIX",
        arguments: [
            ("UTC0", "2026-07-01T00:00:00Z", "2026-07-01 00:00:00 UTC"),
            ("<+0530>-5:30", "2026-07-01T00:00:00Z", "2026-07-01 05:30:00 +0530"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", "2026-03-08 01:59:59 EST"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", "2026-03-08 03:00:00 EDT"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", "2026-11-01 01:00:00 EST"),
            // 1 March, with and without a leap day; J counts none, the other does.
            ("A0B,J60/0,J61/0", "2028-03-01T00:00:00Z", "2028-03-01 01:00:00 B"),
            ("A0B,J60/0,J61/0", "2026-03-01T00:00:00Z", "2026-03-01 01:00:00 B"),
            ("A0B,59/0,60/0", "2028-02-29T00:00:00Z", "2028-02-29 01:00:00 B"),
            ("A0B,59/0,60/0", "2026-03-01T00:00:00Z", "2026-03-01 01:00:00 B"),
            // Summer all year.
            ("EST5EDT,0/0,J365/25", "2026-12-31T23:30:00Z", "2026-12-31 19:30:00 EDT"),
            ("EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", "2026-01-01 01:00:00 EDT"),
        ])
    func rules(rule: String, moment: String, text: String) throws {
        let zone = try #require(Zone(posix: rule))
        #expect(zone.text(try #require(Date(utcText: moment))) == text)
    }

    @Test(
        "what is no rule",
        arguments: [
            "", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-99", "<CET-1", "5",
            "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,M3.5.0/x,M10.5.0", "C\u{1B}T-1", "CET-1CEST,J0,J60",
        ])
    func noRules(text: String) { #expect(Zone(posix: text) == nil) }
}

/// Times for people, and back.
@Suite struct ZoneTextTests {
    private let berlin = Zone(named: "Europe/Berlin") ?? .utc

    private func date(_ text: String) throws -> Date { try #require(Date(utcText: text)) }

    @Test("from one time to another, the second day and the first zone only where they differ")
    func ranges() throws {
        func text(_ start: String, _ end: String, _ precision: Zone.Precision = .minutes) throws -> String {
            berlin.text(from: try date(start), to: try date(end), precision)
        }
        #expect(try text("2026-11-20T10:00:00Z", "2026-11-21T10:00:00Z") == "2026-11-20 11:00 to 2026-11-21 11:00 CET")
        #expect(try text("2026-11-20T10:00:00Z", "2026-11-20T22:59:00Z") == "2026-11-20 11:00 to 23:59 CET")
        #expect(try text("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z") == "2026-10-25 02:30 CEST to 02:30 CET")
        #expect(
            try text("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", .seconds)
                == "2026-10-25 00:00:00 CEST to 2026-10-26 00:00:00 CET")
    }

    @Test(
        "what people write is meant as their clocks show it",
        arguments: [
            ("2026-11-21", "2026-11-20T23:00:00Z"), ("2026-07-01", "2026-06-30T22:00:00Z"),
            ("2026-11-21 10:00", "2026-11-21T09:00:00Z"), ("2026-11-21T10:00:30", "2026-11-21T09:00:30Z"),
            ("2026-03-29 02:30", "2026-03-29T01:30:00Z"), ("2026-10-25 02:30", "2026-10-25T00:30:00Z"),
            ("2026-11-21T10", nil), ("2026-13-01", nil), ("yesterday", nil), ("", nil),
        ] as [(String, String?)])
    func reading(text: String, moment: String?) {
        #expect(Zone.wallTime(reading: text).map { berlin.moment(showing: $0).utcText } == moment)
    }

    @Test("the times of a text for programs")
    func local() {
        #expect(
            berlin.local("a: waits until 2026-11-21T10:00:00Z: HTTP 429, not 2026-11-21")
                == "a: waits until 2026-11-21 11:00:00 CET: HTTP 429, not 2026-11-21")
        #expect(berlin.local("") == "" && berlin.local("  x ") == "  x ")
    }

    @Test("years before the calendar and after it")
    func beyond() {
        for seconds in [-1e15, -1e12, 1e12, 1e15] {
            #expect(berlin.text(Date(timeIntervalSince1970: seconds)).count >= 23)
        }
    }
}
