import Markets

/// A JSON pointer, RFC 6901.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    package let text: String
    private let steps: [String]

    /// Nil if invalid: a pointer is empty, for the whole document, or begins with a slash, and has no tilde but in `~0`
    /// and `~1`.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/"), !text.contains(/~([^01]|$)/) else { return nil }
        self.text = text
        steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacingBytes(of: ["~1"], with: "/").replacingBytes(of: ["~0"], with: "~")
        }
    }

    /// The value at the pointer, or how far the pointer matches.
    func find(in document: JSONValue) -> Result<JSONValue, DeadEnd> {
        var place = document
        var passed = ""
        for step in steps {
            let next: JSONValue? =
                // RFC 6901 allows no signs and no leading zeros.
                place[step] ?? Int(step).flatMap { "\($0)" == step ? place[$0] : nil }
            guard let next else {
                return .failure(DeadEnd(at: passed, found: place))
            }
            place = next
            passed += "/" + step
        }
        return .success(place)
    }

    /// Nil if there is no value.
    func value(in document: JSONValue) -> JSONValue? { try? find(in: document).get() }

    struct DeadEnd: Error {
        /// The part of the pointer that matches.
        var at: String
        var found: JSONValue

        /// Completes "the pointer … leads nowhere: ".
        var reason: String {
            "\(at.isEmpty ? "the document" : SafeText.line(at, atMost: 60)) is \(found.inWords)"
        }
    }

    package var description: String { text.isEmpty ? "\"\"" : text }
}

/// The values that a pointer may refer to, and their descriptions for errors.
extension JSONValue {
    /// A JSON number, or a text that is a number.
    var figure: DecimalNumeral? { numeral ?? numeralInText }

    /// An id or a name: a text, or a number's digits.
    var word: String? { text ?? numeral?.integer.map { "\($0)" } ?? digits }

    /// For messages: `an object with the keys a, b`.
    var inWords: String {
        switch kind {
        case .object:
            let names = members.map { $0.compactMap(\.name) } ?? []
            if names.isEmpty { return "an empty object" }
            let keys = names.sorted().prefix(5).map { SafeText.line($0, atMost: 30) }
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
