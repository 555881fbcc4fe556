import Markets

/// Text from outside, made safe to show: no control character, no mark that reorders or hides text.
enum SafeText {
    /// For a terminal: what cannot be printed stands as `\u001b`, everything else as it is.
    static func printable(_ text: String) -> String {
        // Looking up what a character is costs far more than seeing that it is a plain one.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar.isUnprintable { safe += escape(scalar) } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }

    /// As `printable`, and no longer than `length` characters.
    static func printable(_ text: String, atMost length: Int) -> String {
        let safe = printable(String(text.prefix(length + 1)))
        return safe.count > length ? safe.prefix(length - 1) + "…" : safe
    }

    /// `\u001b`; beyond the first plane as the surrogate pair that JSON wants.
    static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
