import Foundation

/// A price: an exact decimal above zero, `significand` × 10^`exponent`.
///
/// It lies between 1e-18 and 1e18 and has at most 18 significant digits; digits beyond the 18th are rounded half to
/// even. It is normalised (the significand does not end in 0), so equal prices have equal fields. It consists of two
/// integers because it is stored so, and because a `Decimal` compares ten times slower.
package struct Price: Hashable, Sendable {
    /// 1 to 10^18 − 1, not divisible by ten.
    package let significand: Int64
    /// −35 to 18.
    package let exponent: Int

    /// The first integer of more than the 18 digits that are kept.
    private static let tooLarge: Int64 = 1_000_000_000_000_000_000
    /// From 1e-18 with all 18 digits to 1e18. Any other exponent is out of range without a comparison.
    private static let exponents = -35...18
    private static let lowest = Price(normal: 1, -18)
    private static let highest = Price(normal: 1, 18)

    private init(normal significand: Int64, _ exponent: Int) {
        self.significand = significand
        self.exponent = exponent
    }

    /// The price of these two integers; nil if it is out of range.
    package init?(significand: Int64, exponent: Int) {
        guard significand > 0, significand < Self.tooLarge, (-60...60).contains(exponent) else {
            return nil
        }
        var significand = significand
        var exponent = exponent
        while significand % 10 == 0 {
            significand /= 10
            exponent += 1
        }
        let price = Price(normal: significand, exponent)
        guard Self.exponents.contains(exponent), price >= Self.lowest, price <= Self.highest else { return nil }
        self = price
    }

    /// The price equal to `numeral`, rounded to 18 significant digits; nil if it is zero, negative, or outside 1e-18 to
    /// 1e18.
    package init?(_ numeral: DecimalNumeral) {
        guard !numeral.isNegative else { return nil }
        var (significand, exponent) = (numeral.significand, numeral.exponent)
        if significand >= UInt64(Self.tooLarge) {
            let (kept, rest) = significand.quotientAndRemainder(dividingBy: 10)
            // Half to even: five is a half only where nothing follows it.
            let isAboveHalf = rest > 5 || (rest == 5 && (numeral.isCut || kept % 2 == 1))
            significand = isAboveHalf ? kept + 1 : kept
            exponent += 1
            if significand == UInt64(Self.tooLarge) {
                significand /= 10
                exponent += 1
            }
        }
        self.init(significand: Int64(significand), exponent: exponent)
    }

    /// The price equal to `decimal`, as above; nil also if it is not a number.
    package init?(_ decimal: Decimal) {
        guard let numeral = DecimalNumeral(decimal.description) else { return nil }
        self.init(numeral)
    }

    /// Reads a whole text such as `0.1`, `77123.45` or `1.206e-09`; nil for anything else.
    package init?(parsing text: some StringProtocol) {
        guard let numeral = DecimalNumeral(text) else { return nil }
        self.init(numeral)
    }

    /// The same value as Foundation's decimal.
    package var decimal: Decimal {
        Decimal(sign: .plus, exponent: exponent, significand: Decimal(significand))
    }

    /// The nearest double, accurate to about one part in 10^15: for charts and fast comparisons.
    package var double: Double {
        let digits = Double(significand)
        return exponent >= 0 ? digits * PowersOfTen.double[exponent] : digits / PowersOfTen.double[-exponent]
    }

    /// The number of significant digits.
    package var digits: Int { String(significand).utf8.count }

    /// Rounds half up to this number of significant digits, at least one; nil if the result is not a price.
    package func rounded(toDigits count: Int) -> Price? {
        let surplus = digits - count
        guard surplus > 0 else { return self }
        let divisor = Int64(PowersOfTen.integer[surplus])
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: divisor)
        return Price(significand: rest >= divisor - rest ? quotient + 1 : quotient, exponent: exponent + surplus)
    }
}

extension Price: CustomStringConvertible {
    /// Plain digits without an exponent and without needless zeros: `0.000000001206`, `60000`.
    package var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendDigits(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `description`: a status file holds hundreds.
    package func appendDigits(to bytes: inout [UInt8]) {
        let first = bytes.count
        // From the last digit to the first, then reversed.
        for _ in 0..<max(0, exponent) { bytes.append(UInt8(ascii: "0")) }
        var rest = significand
        var digits = 0
        repeat {
            if digits == -exponent, digits > 0 { bytes.append(UInt8(ascii: ".")) }
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            digits += 1
        } while rest > 0 || digits <= -exponent
        for place in 0..<(bytes.count - first) / 2 { bytes.swapAt(first + place, bytes.count - 1 - place) }
    }
}

extension Price: Comparable {
    /// Exact. The doubles decide unless they are too close to be reliable.
    package static func < (left: Price, right: Price) -> Bool {
        let (a, b) = (left.double, right.double)
        if abs(a - b) > 1e-14 * max(a, b) { return a < b }
        // Nearly equal values with at most 18 digits each: scaling the coarser one stays within 128 bits.
        let finer = min(left.exponent, right.exponent)
        return left.scaled(to: finer) < right.scaled(to: finer)
    }

    private func scaled(to finer: Int) -> Int128 {
        var scaled = Int128(significand)
        for _ in 0..<(exponent - finer) { scaled *= 10 }
        return scaled
    }
}
