/// Texts between quotation marks, with escapes known to be well formed.
enum JSONText {
    /// Nil for invalid Unicode.
    static func string(_ text: Span<UInt8>, isEscaped: Bool) -> String? {
        guard isEscaped else {
            do { return String(copying: try UTF8Span(validating: text)) } catch { return nil }
        }
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            guard text[at] == UInt8(ascii: "\\") else {
                plain.append(text[at])
                at += 1
                continue
            }
            switch text[at + 1] {
            case UInt8(ascii: "b"): plain.append(0x08)
            case UInt8(ascii: "f"): plain.append(0x0C)
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "t"): plain.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = escapedScalar(text, &at) else { return nil }
                plain.append(contentsOf: UTF8.encode(scalar) ?? .init())
                continue
            default: plain.append(text[at + 1])
            }
            at += 2
        }
        return string(plain.span, isEscaped: false)
    }

    /// True if the text equals `name`.
    static func isEqual(_ text: Span<UInt8>, isEscaped: Bool, to name: UnsafeBufferPointer<UInt8>) -> Bool {
        if isEscaped { return string(text, isEscaped: true)?.utf8.elementsEqual(name) == true }
        guard text.count == name.count else { return false }
        return text.indices.allSatisfy { text[$0] == name[$0] }
    }

    /// `\u0041`, or two of them as a surrogate pair; nil for a lone surrogate.
    private static func escapedScalar(_ text: Span<UInt8>, _ at: inout Int) -> Unicode.Scalar? {
        guard var value = JSONGrammar.hexadecimal(text, at + 2) else { return nil }
        at += 6
        if 0xD800..<0xDC00 ~= value {
            guard at + 6 <= text.count, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u"),
                let low = JSONGrammar.hexadecimal(text, at + 2), 0xDC00..<0xE000 ~= low
            else { return nil }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            at += 6
        }
        return Unicode.Scalar(value)
    }
}
