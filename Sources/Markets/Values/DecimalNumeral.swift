import Foundation

/// A decimal number as it is written, such as `-0.1`, `60000` or `1.206e-09`, parsed in one pass.
///
/// A poll parses thousands of prices; Foundation's `Decimal` takes twenty times as long.
package struct DecimalNumeral: Sendable, Hashable {
    /// Digits that are kept: all that fit into 64 bits.
    static let digitsKept = 19

    package private(set) var isNegative = false
    /// The first 19 digits from the first non-zero one on, as an integer. The number is `significand` × 10^`exponent`,
    /// without the digits that are cut.
    package private(set) var significand: UInt64 = 0
    package private(set) var exponent = 0
    /// True where digits other than zero follow those kept.
    package private(set) var isCut = false

    /// Reads the whole of `text`: `[+-] digits [. digits] [e [+-] digits]`, with at least one digit before or after the
    /// point; nil for anything else.
    package init?(_ text: Span<UInt8>) {
        var at = 0
        if let sign = Self.sign(text, &at) { isNegative = sign == UInt8(ascii: "-") }
        let first = at
        readDigits(text, &at, isFraction: false)
        var count = at - first
        if at < text.count, text[at] == UInt8(ascii: ".") {
            at += 1
            let point = at
            readDigits(text, &at, isFraction: true)
            count += at - point
        }
        guard count > 0 else { return nil }
        if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            guard let power = Self.power(text, &at) else { return nil }
            exponent += power
        }
        guard at == text.count else { return nil }
    }

    package init?(_ text: some StringProtocol) {
        let text = String(text)
        self.init(text.utf8.span)
    }

    private mutating func readDigits(_ text: Span<UInt8>, _ at: inout Int, isFraction: Bool) {
        while at < text.count {
            let digit = text[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return }
            at += 1
            if significand < 1_000_000_000_000_000_000 {
                significand = significand &* 10 &+ UInt64(digit)
                if isFraction { exponent -= 1 }
            } else {
                if digit != 0 { isCut = true }
                if !isFraction { exponent += 1 }
            }
        }
    }

    private static func sign(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
        guard at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") else { return nil }
        at += 1
        return text[at - 1]
    }

    /// Nil without a digit. Capped at a million: no price, percentage or double has a larger exponent.
    private static func power(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
        let isNegative = sign(text, &at) == UInt8(ascii: "-")
        let first = at
        var power = 0
        while at < text.count, text[at] &- UInt8(ascii: "0") < 10 {
            power = min(power * 10 + Int(text[at] &- UInt8(ascii: "0")), 1_000_000)
            at += 1
        }
        guard at > first else { return nil }
        return isNegative ? -power : power
    }

    /// The value as an integer; nil if it is none, or exceeds 64 bits.
    package var integer: Int64? {
        if exponent == 0, !isCut, let integer = Int64(exactly: significand) { return isNegative ? -integer : integer }
        // Any other exponent makes a fraction of the digits that are kept, or exceeds 64 bits.
        guard !isCut, significand == 0 || abs(exponent) <= Self.digitsKept else { return nil }
        return Int64(plainText)
    }

    /// Plain digits without an exponent and without needless zeros; digits that are cut are missing.
    package var plainText: String {
        var (digits, places) = (String(significand), exponent)
        guard significand > 0 else { return "0" }
        while digits.utf8.last == UInt8(ascii: "0") {
            digits.removeLast()
            places += 1
        }
        let sign = isNegative ? "-" : ""
        if places >= 0 { return sign + digits + String(repeating: "0", count: places) }
        let padded = String(repeating: "0", count: max(0, 1 - places - digits.utf8.count)) + digits
        return sign + padded.dropLast(-places) + "." + padded.suffix(-places)
    }

    /// The nearest double, or its neighbour if digits are cut; nil if it is too large or too near to 0 for a double.
    package var double: Double? {
        // Both factors are exact, so the result is rounded only once.
        if !isCut, significand < 1 << 53, (-22...22).contains(exponent) {
            let digits = Double(isNegative ? -Int64(significand) : Int64(significand))
            return exponent < 0 ? digits / PowersOfTen.double[-exponent] : digits * PowersOfTen.double[exponent]
        }
        // One digit stands for all that were cut.
        let digits = isCut ? "\(significand)1e\(exponent - 1)" : "\(significand)e\(exponent)"
        guard let double = Double((isNegative ? "-" : "") + digits) else { return nil }
        return double.isFinite && (double != 0 || significand == 0) ? double : nil
    }
}

extension Decimal {
    /// Reads a whole text as a decimal number (`-0.1`, `60000`, `1.206e-09`), or nil.
    ///
    /// `Decimal(string:)` ignores what follows a number: `60_000` is 60 there and `0x10` is 0.
    package init?(wholeText text: some StringProtocol) {
        guard DecimalNumeral(text) != nil, let value = Decimal(string: String(text), locale: nil), value.isFinite else {
            return nil
        }
        self = value
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

package enum PowersOfTen {
    package static let double: [Double] = (0...60).map { Double("1e\($0)") ?? .nan }

    /// As many as fit into 64 bits.
    package static let integer: [UInt64] = (0...19).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}

/// Formats plain decimal numbers for display.
package enum Digits {
    /// `77111.39` as `77,111.39`.
    package static func separated(_ plain: String) -> String {
        let sign = plain.hasPrefix("-") ? "-" : ""
        let unsigned = plain.dropFirst(sign.count)
        let whole = unsigned.prefix { $0 != "." }
        var grouped = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index) % 3 == 0 { grouped += "," }
            grouped.append(digit)
        }
        return sign + grouped + unsigned.dropFirst(whole.count)
    }

    /// Pads a single decimal to two, as usual in prices: `153.3` as `153.30`.
    package static func padded(_ plain: String) -> String {
        guard let point = plain.firstIndex(of: "."), plain.distance(from: point, to: plain.endIndex) == 2 else {
            return plain
        }
        return plain + "0"
    }
}
