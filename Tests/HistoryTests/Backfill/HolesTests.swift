import Foundation
import Markets
import Testing

@testable import History

@Suite struct HolesTests {
    /// Stretches of seconds.
    private func texts(_ holes: Holes) -> [String] {
        holes.stretches.map { "\($0.lowerBound.milliseconds / 1000)-\($0.upperBound.milliseconds / 1000)" }
    }

    private func stretch(_ from: Int64, _ to: Int64) -> Range<Date> {
        Date(milliseconds: from * 1000)..<Date(milliseconds: to * 1000)
    }

    @Test(
        "a hole is what lies between known moments further apart than a step, the ends of the period included",
        arguments: [
            ([], ["0-1000"]), ([500], ["0-500", "500-1000"]), ([0, 100, 200, 301, 900], ["200-301", "301-900"]),
            ([50, 150, 250, 350, 450, 550, 650, 750, 850, 950], []), ([-10, 60, 1005], ["60-1000"]),
        ] as [([Int64], [String])])
    func between(known: [Int64], expected: [String]) {
        let moments = known.map { (Date(milliseconds: $0 * 1000), Duration.seconds(100)) }
        #expect(texts(Holes(in: stretch(0, 1000), between: moments, longerThan: .seconds(100))) == expected)
    }

    @Test func `what was asked for is taken out, and splits what it lies in`() {
        var holes = Holes([stretch(0, 100), stretch(200, 300), stretch(400, 500)])
        holes.remove([stretch(50, 210), stretch(440, 460), stretch(600, 700)])
        #expect(texts(holes) == ["0-50", "210-300", "400-440", "460-500"])
        holes.forget(upTo: .seconds(40))
        #expect(texts(holes) == ["0-50", "210-300"])
        #expect(holes.extent == stretch(0, 300))
        #expect(texts(holes.within(stretch(20, 250))) == ["20-50", "210-250"])
        #expect(holes.contains(Date(milliseconds: 210_000)) && !holes.contains(Date(milliseconds: 50_000)))
    }
}
