/// The grammar of single values, RFC 8259. Each function moves `place` past the value.
enum JSONGrammar {
    /// Skips a text with both quotation marks; returns true if it holds escapes.
    static func skipText(_ bytes: Span<UInt8>, _ place: inout Int) throws(JSONFault) -> Bool {
        var isEscaped = false
        var at = place + 1
        while true {
            skipPlain(bytes, &at)
            guard at < bytes.count else { throw JSONFault(at: at) }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                place = at + 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                try skipEscape(bytes, &at)
            case 0..<0x20: throw JSONFault(at: at)
            default: at += 1
            }
        }
    }

    /// Skips bytes that need no check in a text, eight at a time.
    private static func skipPlain(_ bytes: Span<UInt8>, _ at: inout Int) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
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

    private static func skipEscape(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) {
        guard at + 1 < bytes.count else { throw JSONFault(at: at) }
        switch bytes[at + 1] {
        case UInt8(ascii: "u"):
            guard at + 6 <= bytes.count, hexadecimal(bytes, at + 2) != nil else { throw JSONFault(at: at) }
            at += 6
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        default: throw JSONFault(at: at)
        }
    }

    /// Four hexadecimal digits; nil for anything else.
    static func hexadecimal(_ bytes: Span<UInt8>, _ start: Int) -> UInt32? {
        var value: UInt32 = 0
        for at in start..<start + 4 {
            guard let digit = Character(Unicode.Scalar(bytes[at])).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// `-? (0 | 1-9 digits) [. digits] [e [+-] digits]`
    static func skipNumber(_ bytes: Span<UInt8>, _ place: inout Int) throws(JSONFault) {
        if byte(bytes, place) == UInt8(ascii: "-") { place += 1 }
        if byte(bytes, place) == UInt8(ascii: "0") { place += 1 } else { try skipDigits(bytes, &place) }
        if byte(bytes, place) == UInt8(ascii: ".") {
            place += 1
            try skipDigits(bytes, &place)
        }
        if byte(bytes, place) | 0x20 == UInt8(ascii: "e") {
            place += 1
            if byte(bytes, place) == UInt8(ascii: "+") || byte(bytes, place) == UInt8(ascii: "-") { place += 1 }
            try skipDigits(bytes, &place)
        }
    }

    /// Skips one or more digits.
    private static func skipDigits(_ bytes: Span<UInt8>, _ place: inout Int) throws(JSONFault) {
        var at = place
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > place else { throw JSONFault(at: at) }
        place = at
    }

    /// The byte at an index; 0 past the end.
    private static func byte(_ bytes: Span<UInt8>, _ at: Int) -> UInt8 { at < bytes.count ? bytes[at] : 0 }

    static func skip(_ word: StaticString, _ bytes: Span<UInt8>, _ place: inout Int) throws(JSONFault) {
        let isThere = word.withUTF8Buffer { word in
            place + word.count <= bytes.count && word.indices.allSatisfy { bytes[place + $0] == word[$0] }
        }
        guard isThere else { throw JSONFault(at: place) }
        place += word.utf8CodeUnitCount
    }
}

/// A syntax error, at this byte.
struct JSONFault: Error { var at: Int }

extension UInt8 {
    var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
