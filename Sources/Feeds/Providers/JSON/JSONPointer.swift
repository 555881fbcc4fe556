import Markets

/// A place in a JSON document, RFC 6901.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    private let steps: [String]

    /// Nil where `text` is none: it is empty, for the whole, or begins with a slash.
    public init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        self.text = text
        steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacingBytes(of: ["~1"], with: "/").replacingBytes(of: ["~0"], with: "~")
        }
    }

    /// What stands there, or how far it leads.
    func find(in document: JSONValue) -> Result<JSONValue, DeadEnd> {
        var place = document
        var passed = ""
        for step in steps {
            let next: JSONValue? =
                // RFC 6901 knows no signs and no needless zeros.
                place[step] ?? Int(step).flatMap { "\($0)" == step ? place[$0] : nil }
            guard let next else {
                return .failure(DeadEnd(at: passed, found: place))
            }
            place = next
            passed += "/" + step
        }
        return .success(place)
    }

    /// Nil also where nothing is there.
    func value(in document: JSONValue) -> JSONValue? { try? find(in: document).get() }

    struct DeadEnd: Error {
        /// As far as the pointer leads.
        var at: String
        var found: JSONValue

        /// Completes "the pointer … leads nowhere: ".
        var reason: String {
            "\(at.isEmpty ? "the document" : OutsideText.escaped(at, limit: 60)) is \(found.inWords)"
        }
    }

    public var description: String { text.isEmpty ? "\"\"" : text }
}
