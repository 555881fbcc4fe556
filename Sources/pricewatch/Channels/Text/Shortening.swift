/// How a service counts the length of a text. Longer ones are shortened between characters, never inside one.
struct TextLimit: Sendable {
    var units: Int
    /// What one character takes up.
    var cost: @Sendable (Character) -> Int

    /// UTF-16 units, the most that any service counts a character for.
    static func utf16(_ units: Int, escaped: @escaping @Sendable (Character) -> String = { String($0) }) -> TextLimit {
        TextLimit(units: units) { escaped($0).utf16.count }
    }

    /// Code points, as `len` counts them in most scripts.
    static func codePoints(_ count: Int) -> TextLimit { TextLimit(units: count) { $0.unicodeScalars.count } }

    func cost(of text: String) -> Int { text.reduce(0) { $0 + cost($1) } }
}

extension String {
    /// The whole text where it fits, else as much as leaves room for an ellipsis.
    func shortened(to limit: TextLimit) -> String {
        var total = 0
        // Where to cut, should it not fit.
        var cut = startIndex
        let room = limit.units - limit.cost("…")
        for index in indices {
            if total <= room { cut = index }
            total += limit.cost(self[index])
            // No need to walk through a megabyte to see that it is too long.
            if total > limit.units { return room < 0 ? "" : self[..<cut] + "…" }
        }
        return self
    }

    /// One line for people: line breaks and tabs are blanks, what cannot be printed is escaped.
    var asOneLine: String {
        let parts = split { $0.isNewline || $0 == "\t" }
        return SafeText.printable(parts.joined(separator: " "))
    }
}
