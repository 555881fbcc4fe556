import Foundation
import Markets

/// A URL with `{id}`, `{ids}`, `{currency}` and `{key}` in its path or query.
public struct URLTemplate: Sendable, Hashable {
    /// Scheme, host and port.
    public let base: String
    /// The rest, from the first slash or question mark on.
    private let rest: String

    /// Nil where there is no scheme and host before the first placeholder.
    public init?(_ text: String) {
        guard let scheme = text.range(of: "://") else { return nil }
        let end = text[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        base = String(text[..<end])
        rest = String(text[end...])
        guard !base.contains("{"), end > scheme.upperBound else { return nil }
    }

    /// One request a market, as against one for all.
    var asksOneByOne: Bool { rest.contains("{id}") }

    /// Path and query, percent-encoded, for these names. Without a key its placeholder stays, encoded.
    func filled(_ names: [String], _ currency: Currency, key: Secret?) -> String {
        let values = [
            "id": names.first.map(Self.encoded) ?? "",
            "ids": names.map(Self.encoded).joined(separator: ","),
            "currency": Self.encoded(currency.code),
            "key": key.map { Self.encoded($0.revealed) } ?? "%7Bkey%7D",
        ]
        var filled = ""
        var left = rest[...]
        while let open = left.firstIndex(of: "{"), let close = left[open...].firstIndex(of: "}") {
            filled += left[..<open]
            filled += values[String(left[left.index(after: open)..<close])] ?? ""
            left = left[left.index(after: close)...]
        }
        return filled + left
    }

    private static func encoded(_ text: String) -> String { RequestPath("\(text)").encoded }
}
