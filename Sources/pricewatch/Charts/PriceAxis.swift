import Foundation
import Markets

/// The price range of a chart, with ticks at round prices.
struct PriceAxis {
    struct Tick: Hashable {
        var price: Double
        var label: String
    }

    let low: Double
    let high: Double
    let ticks: [Tick]

    /// - Parameters:
    ///   - low: The lowest price to be shown, above 0.
    ///   - high: The highest, not below it.
    ///   - count: The approximate number of ticks.
    init(covering low: Double, _ high: Double, ticks count: Int) {
        // A flat price is in the middle of a small range; so is one whose moves are below the precision of a double.
        let spread = high - low > high * 1e-12 ? (high - low) * 0.05 : max(high * 0.005, 1e-18)
        self.low = max(0, low - spread)
        self.high = high + spread
        let step = RoundStep(atLeast: (self.high - self.low) / Double(max(1, count)))
        let marks = step.multiples(from: self.low, to: self.high)
        let labels = step.labels(of: marks)
        ticks = zip(marks, labels).map { Tick(price: step.value($0), label: $1) }
    }

    var longestLabel: Int { ticks.map(\.label.count).max() ?? 0 }

    /// 0 at the lower end, 1 at the upper.
    func share(of price: Double) -> Double { min(1, max(0, (price - low) / (high - low))) }
}

/// 1, 2 or 5 times a power of ten, in integers, so that tick labels are exact.
struct RoundStep: Hashable {
    let multiplier: Int64
    let power: Int

    /// The smallest step that is at least `size`.
    init(atLeast size: Double) {
        var power = Int(log10(size).rounded(.down))
        // The slack absorbs the rounding error of the logarithm.
        let scaled = size / pow(10, Double(power))
        let slack = 1 + 1e-9
        if scaled <= slack {
            multiplier = 1
        } else if scaled <= 2 * slack {
            multiplier = 2
        } else if scaled <= 5 * slack {
            multiplier = 5
        } else {
            multiplier = 1
            power += 1
        }
        self.power = power
    }

    /// In units of 10^`power`.
    func multiples(from low: Double, to high: Double) -> [Int64] {
        let size = value(multiplier)
        let (first, last) = ((low / size).rounded(.up), (high / size).rounded(.down))
        guard first <= last, last < 1e17, last - first < 1000 else { return [] }
        return (Int64(first)...Int64(last)).map { $0 * multiplier }
    }

    func value(_ units: Int64) -> Double {
        power >= 0 ? Double(units) * pow(10, Double(power)) : Double(units) / pow(10, Double(-power))
    }

    /// Plain digits if they are short, else with a unit such as M for millions, else as powers of ten.
    func labels(of marks: [Int64]) -> [String] {
        let plain = marks.map { Digits.separated(Self.text($0, power)) }
        let longest = plain.map(\.count).max() ?? 0
        guard longest > Self.longLabel, let highest = marks.last else { return plain }
        let magnitude = String(highest).count - 1 + power
        let short: [String]
        let unit = Self.units.first { magnitude >= $0.power }
        if let unit {
            short = marks.map { $0 == 0 ? "0" : Digits.separated(Self.text($0, power - unit.power)) + unit.name }
        } else if magnitude < 0 {
            short = marks.map { $0 == 0 ? "0" : "\(Self.text($0, power - magnitude))e\(magnitude)" }
        } else {
            return plain
        }
        return (short.map(\.count).max() ?? 0) < longest ? short : plain
    }

    private static let longLabel = 10
    private static let units: [(power: Int, name: String)] = [(12, "T"), (9, "B"), (6, "M")]

    /// `units` × 10^`power` in plain digits, with as many decimals as the power has.
    private static func text(_ units: Int64, _ power: Int) -> String {
        if power >= 0 { return units == 0 ? "0" : String(units) + String(repeating: "0", count: power) }
        let digits = String(units)
        let padded = String(repeating: "0", count: max(0, 1 - power - digits.count)) + digits
        return padded.dropLast(-power) + "." + padded.suffix(-power)
    }
}
