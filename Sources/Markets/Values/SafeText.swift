/// Text from outside, made safe to show: no control character, no mark that reorders or hides text.
public enum SafeText {
    /// For a terminal: what cannot be printed stands as `\u001b`, everything else as it is.
    public static func printable(_ text: String) -> String {
        text.replacingScalars { $0.isUnprintable ? escape($0) : nil }
    }

    /// As `printable`, and no longer than `length` Unicode scalars.
    public static func printable(_ text: String, atMost length: Int) -> String {
        let safe = printable(String(text.unicodeScalars.prefix(length + 1)))
        guard safe.unicodeScalars.count > length else { return safe }
        return String(safe.unicodeScalars.prefix(length - 1)) + "…"
    }

    /// `\u001b`; beyond the first plane as the surrogate pair that JSON wants.
    public static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

/// Whoever escapes, quotes, strips or cuts a text walks its scalars or bytes, never its characters: a combining mark joins
/// the `<` before it to one character that is no `<`, and an endless row of marks is one character.
extension String {
    /// This text with some of its scalars replaced; nil leaves one as it is.
    public func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var bytes: [UInt8] = []
        // From where on nothing is copied yet.
        var start = startIndex
        for index in unicodeScalars.indices {
            guard let other = replacement(unicodeScalars[index]) else { continue }
            bytes.append(contentsOf: utf8[start..<index])
            bytes.append(contentsOf: other.utf8)
            start = unicodeScalars.index(after: index)
        }
        guard start > startIndex else { return self }
        bytes.append(contentsOf: utf8[start...])
        return String(decoding: bytes, as: UTF8.self)
    }

    /// This text with another in place of each of `parts`, found byte by byte. Where several begin, the first counts.
    ///
    /// - Parameter ignoringCase: `a` is `A`; other letters than those of ASCII are not.
    public func replacingBytes(
        of parts: [String], with other: String, ignoringCase: Bool = false
    ) -> String {
        func folded(_ text: String) -> [UInt8] {
            ignoringCase ? text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : Array(text.utf8)
        }
        let (own, text) = (Array(utf8), folded(self))
        let parts = parts.map(folded).filter { !$0.isEmpty }
        var mayBegin = Array(repeating: false, count: 256)
        for part in parts { mayBegin[Int(part[0])] = true }
        var bytes: [UInt8] = []
        var (start, at) = (0, 0)
        while at < text.count {
            guard mayBegin[Int(text[at])], let part = parts.first(where: { text[at...].starts(with: $0) }) else {
                at += 1
                continue
            }
            bytes += own[start..<at] + Array(other.utf8)
            at += part.count
            start = at
        }
        guard start > 0 else { return self }
        return String(decoding: bytes + own[start...], as: UTF8.self)
    }

    /// The whole text where it has at most so many bytes of UTF-8, else its beginning and `…` in as many, cut between two
    /// scalars. What is cut off is not looked at.
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit - "…".utf8.count))
        // The second and later bytes of a scalar begin with the bits 10.
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(decoding: utf8[..<end], as: UTF8.self) + "…"
    }
}

extension Unicode.Scalar {
    /// True for what must never reach a log or a terminal as it is: controls, line and paragraph separators, the
    /// formatting characters that reorder or hide text, and the code points that are no characters, which XML refuses.
    public var isUnprintable: Bool {
        // Looking up what a character is costs far more than seeing that it is a plain one.
        if (0x20..<0x7F).contains(value) { return false }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: return value != 0x200D  // the joiner that emoji are built with
        case .unassigned: return properties.isNoncharacterCodePoint
        default: return false
        }
    }

    /// Whether a line ends with it.
    public var isLineBreak: Bool {
        switch self {
        case "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}
