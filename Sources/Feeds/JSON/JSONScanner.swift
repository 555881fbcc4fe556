/// Finds the values of a JSON text, in one pass and without recursion.
struct JSONScanner {
    /// The text is no JSON from here on.
    struct Fault: Error { var at: Int }

    /// As deep as `JSONDecoder` goes.
    static let deepest = 512

    private var tokens: [JSONToken] = []
    /// The lists and objects that are not closed yet.
    private var open: [Int] = []
    private var place = 0

    static func tokens(of bytes: Span<UInt8>) throws(Fault) -> [JSONToken] {
        guard bytes.count < UInt32.max else { throw Fault(at: 0) }
        var scanner = JSONScanner()
        // A member of a page of prices takes some thirty bytes.
        scanner.tokens.reserveCapacity(bytes.count / 24 + 1)
        try scanner.scan(bytes)
        return scanner.tokens
    }

    private mutating func scan(_ bytes: Span<UInt8>) throws(Fault) {
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

    /// Takes the opening bracket; true where a value follows, false where the closing one did.
    private mutating func enter(
        _ kind: JSONToken.Kind, _ closing: UInt8, _ token: inout JSONToken, _ bytes: Span<UInt8>
    ) throws(Fault) -> Bool {
        guard open.count < Self.deepest else { throw Fault(at: place) }
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

    /// Takes what follows a value: a comma, or closing brackets up to one, or nothing; false at the end of the text.
    private mutating func leave(_ bytes: Span<UInt8>) throws(Fault) -> Bool {
        while let parent = open.last {
            skipBlanks(bytes)
            let next = try byte(bytes)
            place += 1
            if next == UInt8(ascii: ",") {
                skipBlanks(bytes)
                return true
            }
            guard next == (tokens[parent].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw Fault(at: place - 1)
            }
            tokens[parent].end = UInt32(tokens.count)
            open.removeLast()
        }
        skipBlanks(bytes)
        guard place == bytes.count else { throw Fault(at: place) }
        return false
    }

    private mutating func name(_ token: inout JSONToken, _ bytes: Span<UInt8>) throws(Fault) {
        guard try byte(bytes) == UInt8(ascii: "\"") else { throw Fault(at: place) }
        token.nameStart = UInt32(place + 1)
        token.nameIsEscaped = try JSONGrammar.skipText(bytes, &place)
        token.nameEnd = UInt32(place - 1)
        skipBlanks(bytes)
        guard try byte(bytes) == UInt8(ascii: ":") else { throw Fault(at: place) }
        place += 1
        skipBlanks(bytes)
    }

    private mutating func scalar(_ token: inout JSONToken, _ bytes: Span<UInt8>) throws(Fault) {
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

    private func byte(_ bytes: Span<UInt8>) throws(Fault) -> UInt8 {
        guard place < bytes.count else { throw Fault(at: place) }
        return bytes[place]
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while place < bytes.count, bytes[place] <= 0x20, bytes[place].isJSONBlank { place += 1 }
    }
}
