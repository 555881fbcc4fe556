/// The currency prices are quoted in, such as `usd`: 2 to 12 lower-case letters or digits.
package struct Currency: Hashable, Sendable, CustomStringConvertible {
    package let code: String

    /// US dollar.
    package static let usd = Currency(known: "usd")

    private init(known code: String) { self.code = code }

    /// Accepts either case (`USD` is `usd`).
    package init(_ text: String) throws(InvalidName) {
        let code = text.lowercased()
        guard (2...12).contains(code.utf8.count), code.utf8.allSatisfy({ $0.isLowercaseLetterOrDigit }) else {
            throw InvalidName(reason: "must be 2 to 12 letters or digits, such as usd")
        }
        self.code = code
    }

    package var description: String { code }
}

extension UInt8 {
    fileprivate var isLowercaseLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
