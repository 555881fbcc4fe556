import Markets

/// How a service counts the length of a text.
struct TextLimit: Sendable {
    var units: Int
    /// The units that one scalar takes.
    var cost: @Sendable (Unicode.Scalar) -> Int

    /// UTF-16 units: no service counts more for a scalar.
    ///
    /// - Parameter escape: The replacement that is sent for a scalar; nil: the scalar itself.
    static func utf16(
        _ units: Int, escaping escape: @escaping @Sendable (Unicode.Scalar) -> String? = { _ in nil }
    ) -> TextLimit {
        TextLimit(units: units) { escape($0)?.utf16.count ?? UTF16.width($0) }
    }

    /// Code points, as `len` counts them in most scripts.
    static func codePoints(_ count: Int) -> TextLimit { TextLimit(units: count) { _ in 1 } }

    func cost(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + cost($1) } }
}

extension String {
    /// The whole text if it fits, else its beginning and an ellipsis.
    func shortened(to limit: TextLimit) -> String {
        var total = 0
        // Where to cut if the text does not fit.
        var cut = startIndex
        let room = limit.units - limit.cost("…")
        let scalars = unicodeScalars
        var previous: Unicode.Scalar?
        for index in scalars.indices {
            let scalar = scalars[index]
            if total <= room, !scalar.isJoined(to: previous) { cut = index }
            total += limit.cost(scalar)
            // Stop early in a very long text.
            if total > limit.units { return room < 0 ? "" : self[..<cut] + "…" }
            previous = scalar
        }
        return self
    }

    /// One line for people: line breaks and tabs become spaces, unprintable characters are escaped.
    var asOneLine: String {
        let parts = unicodeScalars.split { $0.isLineBreak || $0 == "\t" }
        return SafeText.printable(parts.map { String($0) }.joined(separator: " "))
    }
}

extension Unicode.Scalar {
    /// True if both are part of one visible character: an accent, or part of a composed emoji.
    fileprivate func isJoined(to previous: Unicode.Scalar?) -> Bool {
        properties.isGraphemeExtend || properties.isEmojiModifier || self == "\u{200D}" || previous == "\u{200D}"
    }
}
