/// Finds the values of a JSON text (RFC 8259) in one pass.
struct JSONScanner {
    /// Maximum nesting, as in `JSONDecoder`.
    private static let deepest = 512

    private(set) var tokens: [JSONToken] = []
    private var place = 0

    init(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard bytes.count < UInt32.max else { throw JSONFault() }
        // A member in a page of prices takes about thirty bytes, and its name has a token, too.
        tokens.reserveCapacity(bytes.count / 14 + 1)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { place = 3 }
        skipBlanks(bytes)
        try scanValue(bytes, depth: 0)
        skipBlanks(bytes)
        guard place == bytes.count else { throw JSONFault() }
    }

    private mutating func scanValue(_ bytes: Span<UInt8>, depth: Int) throws(JSONFault) {
        switch try byte(bytes) {
        case UInt8(ascii: "{"): try scanNested(.object, until: UInt8(ascii: "}"), bytes, depth)
        case UInt8(ascii: "["): try scanNested(.list, until: UInt8(ascii: "]"), bytes, depth)
        case UInt8(ascii: "\""): try scanText(bytes)
        case UInt8(ascii: "t"): try scanWord(.true, "true", bytes)
        case UInt8(ascii: "f"): try scanWord(.false, "false", bytes)
        case UInt8(ascii: "n"): try scanWord(.null, "null", bytes)
        default: try scanNumber(bytes)
        }
    }

    private mutating func scanNested(
        _ kind: JSONToken.Kind, until closing: UInt8, _ bytes: Span<UInt8>, _ depth: Int
    ) throws(JSONFault) {
        guard depth < Self.deepest else { throw JSONFault() }
        let index = tokens.count
        tokens.append(JSONToken(kind: kind, start: UInt32(place)))
        place += 1
        skipBlanks(bytes)
        if !take(closing, bytes) {
            repeat {
                skipBlanks(bytes)
                if kind == .object {
                    try scanText(bytes)
                    skipBlanks(bytes)
                    guard take(UInt8(ascii: ":"), bytes) else { throw JSONFault() }
                    skipBlanks(bytes)
                }
                try scanValue(bytes, depth: depth + 1)
                skipBlanks(bytes)
            } while take(UInt8(ascii: ","), bytes)
            guard take(closing, bytes) else { throw JSONFault() }
        }
        tokens[index].end = UInt32(tokens.count)
    }

    private mutating func scanText(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard take(UInt8(ascii: "\""), bytes) else { throw JSONFault() }
        var token = JSONToken(kind: .text, start: UInt32(place))
        while true {
            skipPlain(bytes)
            switch try byte(bytes) {
            case UInt8(ascii: "\""):
                token.end = UInt32(place)
                tokens.append(token)
                place += 1
                return
            case UInt8(ascii: "\\"):
                token.kind = .escapedText
                try skipEscape(bytes)
            case 0..<0x20: throw JSONFault()
            default: place += 1
            }
        }
    }

    /// Skips bytes that need no check in a text, eight at a time.
    private mutating func skipPlain(_ bytes: Span<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var at = place
        defer { place = at }
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // Sets the high bit of each byte that matches (zero after the XOR, or below 0x20). A borrow may also mark a
            // later byte.
            let marks = ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
            guard marks & highs == 0 else {
                at += (marks & highs).trailingZeroBitCount / 8
                return
            }
            at += 8
        }
    }

    private mutating func skipEscape(_ bytes: Span<UInt8>) throws(JSONFault) {
        place += 1
        switch try byte(bytes) {
        case UInt8(ascii: "u"):
            place += 1
            for _ in 0..<4 {
                guard Character(Unicode.Scalar(try byte(bytes))).isHexDigit else { throw JSONFault() }
                place += 1
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            place += 1
        default: throw JSONFault()
        }
    }

    /// `-? (0 | 1-9 digits) [. digits] [e [+-] digits]`
    private mutating func scanNumber(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = UInt32(place)
        take(UInt8(ascii: "-"), bytes)
        if !take(UInt8(ascii: "0"), bytes) { try skipDigits(bytes) }
        if take(UInt8(ascii: "."), bytes) { try skipDigits(bytes) }
        if take(UInt8(ascii: "e"), bytes) || take(UInt8(ascii: "E"), bytes) {
            if !take(UInt8(ascii: "+"), bytes) { take(UInt8(ascii: "-"), bytes) }
            try skipDigits(bytes)
        }
        tokens.append(JSONToken(kind: .number, start: start, end: UInt32(place)))
    }

    /// Skips one or more digits.
    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONFault) {
        var at = place
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > place else { throw JSONFault() }
        place = at
    }

    private mutating func scanWord(
        _ kind: JSONToken.Kind, _ word: String, _ bytes: Span<UInt8>
    ) throws(JSONFault) {
        let start = UInt32(place)
        for letter in word.utf8 {
            guard take(letter, bytes) else { throw JSONFault() }
        }
        tokens.append(JSONToken(kind: kind, start: start, end: UInt32(place)))
    }

    private func byte(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt8 {
        guard place < bytes.count else { throw JSONFault() }
        return bytes[place]
    }

    /// Skips the next byte if it is this one.
    @discardableResult
    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while place < bytes.count, bytes[place] <= 0x20, bytes[place].isJSONBlank { place += 1 }
    }
}

/// The position of a value, or of the name before a member's value.
struct JSONToken {
    enum Kind: UInt8 { case object, list, text, escapedText, number, `true`, `false`, null }

    var kind: Kind
    /// The index of the first byte; of a text, of the byte after the quotation mark.
    var start: UInt32
    /// The index after the last byte; for a list or an object, the token after its last one.
    var end: UInt32 = 0
}

/// The bytes are not JSON.
struct JSONFault: Error {}

extension UInt8 {
    var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
