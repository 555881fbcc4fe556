/// Finds the values of a JSON text, in one pass and without recursion.
struct JSONScanner {
    /// Maximum nesting, as in `JSONDecoder`.
    static let deepest = 512

    private var tokens: [JSONToken] = []
    /// The lists and objects that are still open.
    private var open: [Int] = []
    private var place = 0

    static func tokens(of bytes: Span<UInt8>) throws(JSONFault) -> [JSONToken] {
        guard bytes.count < UInt32.max else { throw JSONFault(at: 0) }
        var scanner = JSONScanner()
        // A member in a page of prices takes about thirty bytes.
        scanner.tokens.reserveCapacity(bytes.count / 24 + 1)
        try scanner.scan(bytes)
        return scanner.tokens
    }

    private mutating func scan(_ bytes: Span<UInt8>) throws(JSONFault) {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { place = 3 }
        skipBlanks(bytes)
        var token = JSONToken(kind: .null, start: 0)
        while true {
            var isOpened = false
            switch try byte(bytes) {
            case UInt8(ascii: "{"): isOpened = try enter(.object, UInt8(ascii: "}"), &token, bytes)
            case UInt8(ascii: "["): isOpened = try enter(.list, UInt8(ascii: "]"), &token, bytes)
            default:
                try scalar(&token, bytes)
                tokens.append(token)
            }
            if !isOpened, try !leave(bytes) { return }
            token = JSONToken(kind: .null, start: 0)
            if let parent = open.last, tokens[parent].kind == .object { try name(&token, bytes) }
        }
    }

    /// Consumes the opening bracket; returns true if a value follows, false if the list or object is empty.
    private mutating func enter(
        _ kind: JSONToken.Kind, _ closing: UInt8, _ token: inout JSONToken, _ bytes: Span<UInt8>
    ) throws(JSONFault) -> Bool {
        guard open.count < Self.deepest else { throw JSONFault(at: place) }
        token.kind = kind
        token.start = UInt32(place)
        tokens.append(token)
        place += 1
        skipBlanks(bytes)
        if try byte(bytes) == closing {
            place += 1
            tokens[tokens.count - 1].end = UInt32(tokens.count)
            return false
        }
        open.append(tokens.count - 1)
        return true
    }

    /// Consumes what follows a value: closing brackets and a comma; returns false at the end of the text.
    private mutating func leave(_ bytes: Span<UInt8>) throws(JSONFault) -> Bool {
        while let parent = open.last {
            skipBlanks(bytes)
            let next = try byte(bytes)
            place += 1
            if next == UInt8(ascii: ",") {
                skipBlanks(bytes)
                return true
            }
            guard next == (tokens[parent].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw JSONFault(at: place - 1)
            }
            tokens[parent].end = UInt32(tokens.count)
            open.removeLast()
        }
        skipBlanks(bytes)
        guard place == bytes.count else { throw JSONFault(at: place) }
        return false
    }

    private mutating func name(_ token: inout JSONToken, _ bytes: Span<UInt8>) throws(JSONFault) {
        guard try byte(bytes) == UInt8(ascii: "\"") else { throw JSONFault(at: place) }
        token.nameStart = UInt32(place + 1)
        token.nameIsEscaped = try JSONGrammar.skipText(bytes, &place)
        token.nameEnd = UInt32(place - 1)
        skipBlanks(bytes)
        guard try byte(bytes) == UInt8(ascii: ":") else { throw JSONFault(at: place) }
        place += 1
        skipBlanks(bytes)
    }

    private mutating func scalar(_ token: inout JSONToken, _ bytes: Span<UInt8>) throws(JSONFault) {
        token.start = UInt32(place)
        switch bytes[place] {
        case UInt8(ascii: "\""):
            token.start += 1
            token.kind = try JSONGrammar.skipText(bytes, &place) ? .escapedText : .text
            token.end = UInt32(place - 1)
            return
        case UInt8(ascii: "t"):
            token.kind = .true
            try JSONGrammar.skip("true", bytes, &place)
        case UInt8(ascii: "f"):
            token.kind = .false
            try JSONGrammar.skip("false", bytes, &place)
        case UInt8(ascii: "n"):
            token.kind = .null
            try JSONGrammar.skip("null", bytes, &place)
        default:
            token.kind = .number
            try JSONGrammar.skipNumber(bytes, &place)
        }
        token.end = UInt32(place)
    }

    private func byte(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt8 {
        guard place < bytes.count else { throw JSONFault(at: place) }
        return bytes[place]
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while place < bytes.count, bytes[place] <= 0x20, bytes[place].isJSONBlank { place += 1 }
    }
}

/// The position of a value.
struct JSONToken {
    enum Kind: UInt8 { case object, list, text, escapedText, number, `true`, `false`, null }

    var kind: Kind
    /// For a member: whether its name holds escapes.
    var nameIsEscaped = false
    /// For a member: the start of its name, without the quotation mark.
    var nameStart: UInt32 = 0
    var nameEnd: UInt32 = 0
    /// The index of the first byte; of a text, of the byte after the quotation mark.
    var start: UInt32
    /// The index after the last byte; for a list or an object, the token after its last one.
    var end: UInt32 = 0
}
