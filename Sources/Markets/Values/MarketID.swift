/// The name by which a provider knows a market, such as `bitcoin`.
///
/// Ids are taken as written: case, brackets and inner blanks belong to them (`bitCNY`, `boringdao-[old]`).
/// An id has 1 to 200 bytes of UTF-8, holds no control character and no comma (providers take
/// comma-separated lists), and neither begins nor ends with a blank.
package struct MarketID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// In bytes of UTF-8. A longer text is refused, not cut: a cut id could be another market's.
    package static let longest = 200

    package let text: String

    /// Used in alerts about a provider whose name is not a valid id.
    package static let feed = MarketID(known: "feed")

    private init(known text: String) { self.text = text }

    /// Throws if `text` is not an id; the error's `reason` completes the sentence "a market id …".
    package init(_ text: String) throws(InvalidName) {
        // Fast path: nearly every id is plain ASCII, and a poll reads thousands.
        if (1...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") })
        {
            self.text = text
            return
        }
        guard !text.isEmpty else { throw InvalidName(reason: "must not be empty") }
        guard text.utf8.count <= Self.longest else {
            throw InvalidName(reason: "must not be longer than \(Self.longest) bytes")
        }
        for scalar in text.unicodeScalars {
            if scalar == "," { throw InvalidName(reason: "must not hold a comma") }
            if scalar.isUnprintable { throw InvalidName(reason: "must not hold a control character") }
        }
        for end in [text.unicodeScalars.first, text.unicodeScalars.last] where end?.properties.isWhitespace == true {
            throw InvalidName(reason: "must not begin or end with a blank")
        }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: MarketID, right: MarketID) -> Bool { left.text < right.text }
}

/// Why a text was refused as a name.
package struct InvalidName: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}
