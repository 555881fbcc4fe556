/// The name by which a provider knows a market, such as `bitcoin`.
///
/// Ids are taken as written: case, brackets and inner blanks belong to them (`bitCNY`, `boringdao-[old]`).
/// An id has 1 to 128 characters, holds no control character and no comma (providers take
/// comma-separated lists), and neither begins nor ends with a blank.
public struct MarketID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public static let longest = 128

    public let text: String

    /// Stands where an alert is about the provider as a whole and its name is no id.
    public static let feed = MarketID(known: "feed")

    private init(known text: String) { self.text = text }

    /// Throws when `text` is no id; the error's `reason` completes the sentence "a market id …".
    public init(_ text: String) throws(InvalidName) {
        // Nearly every id is plain ASCII, and thousands are read a poll.
        if (1...Self.longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") })
        {
            self.text = text
            return
        }
        guard !text.isEmpty else { throw InvalidName(reason: "must not be empty") }
        guard text.count <= Self.longest else {
            throw InvalidName(reason: "must not be longer than \(Self.longest) characters")
        }
        for scalar in text.unicodeScalars {
            if scalar == "," { throw InvalidName(reason: "must not hold a comma") }
            if scalar.isUnprintable { throw InvalidName(reason: "must not hold a control character") }
        }
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            throw InvalidName(reason: "must not begin or end with a blank")
        }
        self.text = text
    }

    public var description: String { text }

    public static func < (left: MarketID, right: MarketID) -> Bool { left.text < right.text }
}

/// Why a text was refused as a name.
public struct InvalidName: Error, Hashable, Sendable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
}

extension Unicode.Scalar {
    /// True for what must never reach a log or a terminal as it is: controls, line and paragraph
    /// separators, and the formatting characters that reorder or hide text.
    public var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: value != 0x200D  // the joiner that emoji are built with
        default: false
        }
    }
}
