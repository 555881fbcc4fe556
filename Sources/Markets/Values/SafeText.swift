/// Makes untrusted text safe to show: no control characters, no marks that reorder or hide text.
package enum SafeText {
    /// For a terminal: unprintable scalars are escaped as `\u001b`, everything else is unchanged.
    package static func printable(_ text: String) -> String {
        text.replacingScalars { $0.isUnprintable ? escape($0) : nil }
    }

    /// As `printable`, and no longer than `length` Unicode scalars.
    package static func printable(_ text: String, atMost length: Int) -> String {
        let safe = printable(String(text.unicodeScalars.prefix(length + 1)))
        guard safe.unicodeScalars.count > length else { return safe }
        return String(safe.unicodeScalars.prefix(length - 1)) + "…"
    }

    /// On one line: as `printable`, with one blank for each run of whitespace and none at the ends.
    package static func line(_ text: String, atMost length: Int = 200) -> String {
        printable(joinedWords(text), atMost: length)
    }

    /// The first bytes of a body in quotation marks, on one line: enough to recognise it by.
    package static func quoted(_ body: some Collection<UInt8>, bytes: Int = 80) -> String {
        let beginning = printable(joinedWords(String(decoding: body.prefix(bytes), as: UTF8.self)))
        return "\"" + beginning + (body.count > bytes ? "…" : "") + "\""
    }

    private static func joinedWords(_ text: String) -> String {
        text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map { String($0) }.joined(separator: " ")
    }

    /// `\u001b`; beyond the first plane, the surrogate pair that JSON requires.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

/// Escaping, quoting, stripping and cutting work on scalars or bytes, not on characters: a combining mark joins the `<`
/// before it to one character that is no `<`, and an endless row of marks is one character.
extension String {
    /// This text with some of its scalars replaced; nil leaves one as it is.
    package func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var bytes: [UInt8] = []
        // The start of the part that is not copied yet.
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
    /// - Parameter ignoringCase: ignores the case of ASCII letters only.
    package func replacingBytes(
        of parts: [String], with other: String, ignoringCase: Bool = false
    ) -> String {
        func folded(_ text: String) -> [UInt8] {
            ignoringCase ? text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } : Array(text.utf8)
        }
        let (own, text) = (Array(utf8), folded(self))
        let parts = parts.map(folded).filter { !$0.isEmpty }
        var bytes: [UInt8] = []
        var at = 0
        while at < text.count {
            if let part = parts.first(where: { text[at...].starts(with: $0) }) {
                bytes += other.utf8
                at += part.count
            } else {
                bytes.append(own[at])
                at += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text if it has at most `limit` bytes of UTF-8, else its beginning and `…` in at most `limit` bytes, cut
    /// between two scalars. The part that is cut off is not read.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit - "…".utf8.count))
        // The second and later bytes of a scalar begin with the bits 10.
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(decoding: utf8[..<end], as: UTF8.self) + "…"
    }
}

extension Unicode.Scalar {
    /// True for what must never reach a log or a terminal unescaped: controls, line and paragraph separators, the
    /// formatting characters that reorder or hide text, and noncharacter code points, which XML refuses.
    package var isUnprintable: Bool {
        // Fast path for ASCII: looking up the category is far slower.
        if (0x20..<0x7F).contains(value) { return false }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        case .format: return value != 0x200D  // the joiner that emoji are built with
        case .unassigned: return properties.isNoncharacterCodePoint
        default: return false
        }
    }

    /// Whether a line ends with it.
    package var isLineBreak: Bool {
        switch self {
        case "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}
