import Foundation

/// A change in percent with two decimals, as it is shown and counted.
package struct Percent: Hashable, Sendable, Comparable {
    /// Hundredths of a percent: 125 is 1.25 %.
    package let hundredths: Int64

    package init(hundredths: Int64) { self.hundredths = hundredths }

    package static let zero = Percent(hundredths: 0)

    /// Larger changes are capped at this (a coin that rose from 1e-18 to 1e18 included).
    private static let limit: Int64 = 1_000_000_000_000_000

    /// (new − old) / old × 100 on the exact decimals, rounded half away from zero.
    package init(from old: Price, to new: Price) {
        let estimate = (new.double - old.double) / old.double * 10_000
        // The double is accurate to about 1e-11 here, so it decides unless it is next to a half.
        if abs(estimate) < 1e5, abs(abs(estimate.truncatingRemainder(dividingBy: 1)) - 0.5) > 1e-6 {
            hundredths = Int64(estimate.rounded(.toNearestOrAwayFromZero))
            return
        }
        let change = (new.decimal - old.decimal) / old.decimal * 100
        self = Percent(rounding: change) ?? Percent(hundredths: estimate < 0 ? -Self.limit : Self.limit)
    }

    /// `numeral` percent, rounded half away from zero; nil if it is beyond ±10^13.
    package init?(rounding numeral: DecimalNumeral) {
        var hundredths = numeral.significand
        var places = numeral.exponent + 2
        while places > 0, hundredths > 0 {
            guard hundredths <= UInt64(Self.limit) else { return nil }
            hundredths *= 10
            places -= 1
        }
        // Shifted by more than all its digits, the value is 0.
        if places < -DecimalNumeral.digitsKept { hundredths = 0 }
        if places < 0, hundredths > 0 {
            let unit = PowersOfTen.integer[-places]
            let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: unit)
            hundredths = rest >= unit - rest ? whole + 1 : whole
        }
        guard hundredths <= UInt64(Self.limit) else { return nil }
        self.hundredths = numeral.isNegative ? -Int64(hundredths) : Int64(hundredths)
    }

    /// `decimal` percent, as above; nil also if it is not a number.
    package init?(rounding decimal: Decimal) {
        guard let numeral = DecimalNumeral(decimal.description) else { return nil }
        self.init(rounding: numeral)
    }

    package static func < (left: Percent, right: Percent) -> Bool { left.hundredths < right.hundredths }

    package var double: Double { Double(hundredths) / 100 }
}

extension Percent: CustomStringConvertible {
    /// At most two decimals and no needless zeros: `1.25`, `-5.2`, `0`.
    package var description: String {
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if part == 0 { return "\(sign)\(whole)" }
        if part % 10 == 0 { return "\(sign)\(whole).\(part / 10)" }
        return "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
    }
}
