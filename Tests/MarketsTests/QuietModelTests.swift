import Foundation
import Markets
import TestSupport
import Testing

/// `Tests/Independent/quiet.py` finds the end of quiet hours from the manual's words and Python's time zones.
@Suite struct QuietModelTests {
    @Test(
        "Python finds the same ends of random quiet hours, in the hours around each change of the clocks too",
        .enabled(if: Python.hasZones, "python3 with zoneinfo is not here"),
        arguments: ["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata"])
    func sameEnds(zone name: String) throws {
        let zone = try #require(Zone(named: name))
        var dice = Dice(state: 7)
        var lines = ""
        for _ in 0..<250 {
            let texts = (0..<dice.roll(3) + 1).map { _ in dice.times() }
            guard let quiet = QuietHours(texts.compactMap(QuietHours.Times.init)) else { continue }
            let start = Date(timeIntervalSince1970: 1_735_689_600 + Double(dice.roll(5 * 365 * 86_400)))
            let change = zone.nextChange(after: start) ?? start
            // Most within three days before to one day after a change.
            let now = dice.roll(4) == 0 ? start : change + .seconds(dice.roll(4 * 86_400) - 3 * 86_400)
            let end = quiet.end(at: now, in: zone)
            lines += #"{"zone": "\#(name)", "quiet": \#(texts), "now": \#(Int(now.timeIntervalSince1970)), "#
            lines += #""end": \#(end.map { "\(Int($0.timeIntervalSince1970))" } ?? "null")}"# + "\n"
        }
        let (code, output) = try Python.run([Python.script("quiet.py")], input: lines)
        #expect(code == 0, "\(output)")
        let counts = output.split(separator: "\n").last?.split(separator: " ").compactMap { Int($0) } ?? []
        #expect(counts.count == 3 && counts[0] > 200 && counts[1] > 50, "\(output)")
    }

    /// Repeatable.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }

        /// `mon-fri 22:15-07:30`; often around the hours in which clocks are set.
        mutating func times() -> String {
            let days = ["", "", "sat-sun ", "mon-fri ", "fri-mon ", "sun ", "mon,wed ", "sat,sun-mon ", "daily "]
            let hours = [0, 0, 1, 1, 2, 2, 3, 3, 5, 7, 9, 12, 18, 22, 23]
            func text(_ hour: Int, _ minute: Int) -> String {
                "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
            }
            let from = text(hours[roll(hours.count)], [0, 0, 1, 15, 30, 59][roll(6)])
            var to = from
            while to == from { to = text(hours[roll(hours.count)], [0, 0, 1, 15, 30, 59][roll(6)]) }
            return days[roll(days.count)] + "\(from)-\(roll(8) == 0 ? "24:00" : to)"
        }
    }
}
