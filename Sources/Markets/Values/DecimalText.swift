import Foundation

extension Decimal {
    /// Reads a whole text as a decimal number (`-0.1`, `60000`, `1.206e-09`), or nil.
    ///
    /// `Decimal(string:)` ignores what follows a number: `60_000` is 60 there and `0x10` is 0. Here the whole text must
    /// be a number.
    package init?(wholeText text: some StringProtocol) {
        guard text.utf8.count <= 400, Self.isNumber(text.utf8) else { return nil }
        guard let value = Decimal(string: String(text), locale: nil), value.isFinite else { return nil }
        self = value
    }

    /// `-? digits [. digits] [e [+-] digits]`, with at least one digit before or after the point.
    private static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: \.isDigit).count
        rest = rest.dropFirst(whole)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = rest.prefix(while: \.isDigit).count
            rest = rest.dropFirst(fraction)
        }
        guard whole + fraction > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard (1...4).contains(rest.count), rest.allSatisfy(\.isDigit) else { return false }
            rest = rest.dropFirst(rest.count)
        }
        return rest.isEmpty
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
