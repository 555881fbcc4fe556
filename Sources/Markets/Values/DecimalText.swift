import Foundation

extension Decimal {
    /// Reads a whole text as a decimal number (`-0.1`, `60000`, `1.206e-09`), or nil.
    ///
    /// `Decimal(string:)` reads as far as it can and calls that the number: `60_000` is 60 there and
    /// `0x10` is 0. Here a text is a number as a whole or not at all.
    public init?(wholeText text: some StringProtocol) {
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
