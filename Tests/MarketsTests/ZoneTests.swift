import Foundation
import Testing

@testable import Markets

/// Compared with Python's zoneinfo, which reads the same files.
@Suite(.enabled(if: Python.hasZones, "python3 with zoneinfo and its data is not here"))
struct ZoneTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../Independent/zones.py").standardizedFileURL.path
    /// The rows that the script prints, in fields.
    private func rows(_ arguments: String...) throws -> [[Substring]] {
        let (code, output) = try Python.run([Self.script] + arguments)
        try #require(code == 0, "\(output.suffix(500))")
        return output.split(separator: "\n").map { $0.split(separator: "\t") }
    }

    private func zones(_ rows: [[Substring]]) throws -> [Substring: Zone] {
        try Dictionary(
            uniqueKeysWithValues: Set(rows.map { $0[0] }).map { name in
                (name, try #require(Zone(named: String(name)), "\(name)"))
            })
    }

    @Test(
        "offset and abbreviation are those of zoneinfo",
        arguments: [(["moments", "7"], 30_000), (["changes"], 10_000)])
    func clocks(arguments: [String], atLeast least: Int) throws {
        let rows = try arguments.count == 1 ? rows(arguments[0]) : rows(arguments[0], arguments[1])
        let zones = try zones(rows)
        var wrong: [String] = []
        for row in rows {
            let seconds = try #require(Double(row[1]))
            let clock = try #require(zones[row[0]]).clock(at: Date(timeIntervalSince1970: seconds))
            if "\(clock.offset)" != row[2] || clock.abbreviation != row[3] {
                wrong.append("\(row): \(clock.offset) \(clock.abbreviation)")
            }
        }
        #expect(rows.count > least)
        #expect(wrong.isEmpty, "\(wrong.count) of \(rows.count): \(wrong.prefix(20))")
    }

    @Test("the moments that show a wall time are those of zoneinfo, twice where the clocks are set back")
    func walls() throws {
        let rows = try rows("walls")
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

private enum Python {
    static let hasZones = (try? run(["-c", "import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')"]).code) == 0

    static func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
