import Markets

/// What an owner may mean by a pointer, and what to say of it when it is something else.
extension JSONValue {
    /// A JSON number, or a text that is one as a whole.
    var figure: DecimalNumeral? { numeral ?? numeralInText }

    /// An id or a name: a text, or a number as its digits.
    var word: String? { text ?? numeral?.integer.map { "\($0)" } ?? digits }

    /// For messages: `an object with the keys a, b`.
    var inWords: String {
        switch kind {
        case .object:
            let names = members.map { $0.compactMap(\.name) } ?? []
            if names.isEmpty { return "an empty object" }
            let keys = names.sorted().prefix(5).map { OutsideText.escaped($0, limit: 30) }
            return "an object with the key\(names.count == 1 ? "" : "s") " + keys.joined(separator: ", ")
                + (names.count > 5 ? ", …" : "")
        case .list: return "a list of \(items.map { $0.reduce(0) { count, _ in count + 1 } } ?? 0)"
        case .text, .escapedText: return "a text"
        case .number: return "a number"
        case .true, .false: return "true or false"
        case .null: return "null"
        }
    }
}
