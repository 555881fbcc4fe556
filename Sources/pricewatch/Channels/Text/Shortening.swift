import Markets

/// How a service counts the length of a text.
struct TextLimit: Sendable {
    var units: Int
    /// What one scalar takes up.
    var cost: @Sendable (Unicode.Scalar) -> Int

    /// UTF-16 units, the most that any service counts a scalar for.
    ///
    /// - Parameter escape: What stands in a scalar's place when it is sent; nil: itself.
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
    /// The whole text where it fits, else as much as leaves room for an ellipsis.
    func shortened(to limit: TextLimit) -> String {
        var total = 0
        // Where to cut, should it not fit.
        var cut = startIndex
        let room = limit.units - limit.cost("…")
        let scalars = unicodeScalars
        var previous: Unicode.Scalar?
        for index in scalars.indices {
            let scalar = scalars[index]
            if total <= room, !scalar.isJoined(to: previous) { cut = index }
            total += limit.cost(scalar)
            // No need to walk through a megabyte to see that it is too long.
            if total > limit.units { return room < 0 ? "" : self[..<cut] + "…" }
            previous = scalar
        }
        return self
    }

    /// One line for people: line breaks and tabs are blanks, what cannot be printed is escaped.
    var asOneLine: String {
        let parts = unicodeScalars.split { $0.isLineBreak || $0 == "\t" }
        return SafeText.printable(parts.map { String($0) }.joined(separator: " "))
    }
}

extension Unicode.Scalar {
    /// Whether the two look like one character: an accent, or a part of an emoji that is made of several.
    fileprivate func isJoined(to previous: Unicode.Scalar?) -> Bool {
        properties.isGraphemeExtend || properties.isEmojiModifier || self == "\u{200D}" || previous == "\u{200D}"
    }
}
