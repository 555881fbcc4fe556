import Foundation
import HTTP
import Markets

/// How to request prices from any HTTP server, and how to read its answer.
package struct JSONFeedDescription: Hashable, Sendable {
    /// By its word in the configuration.
    package enum TimeFormat: String, CaseIterable, Sendable {
        case iso8601
        case epochSeconds = "epoch_s"
        case epochMilliseconds = "epoch_ms"
    }

    package struct Header: Hashable, Sendable {
        package var name: String
        /// May hold `{key}`.
        package var value: Secret

        package init(name: String, value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// Pointers within one market.
    package struct Fields: Hashable, Sendable {
        package var price: JSONPointer
        package var id: JSONPointer?
        package var quotedAt: JSONPointer?
        package var change24hPercent: JSONPointer?
        package var volume24h: JSONPointer?
        package var name: JSONPointer?
        package var symbol: JSONPointer?

        package init(price: JSONPointer) { self.price = price }
    }

    /// A URL with `{id}` or `{ids}`, `{currency}` and `{key}` in path or query.
    package var url: URLTemplate
    package var headers: [Header] = []
    /// Where the markets are: a list, or an object keyed by id.
    package var list: JSONPointer?
    package var fields: Fields
    package var timeFormat = TimeFormat.iso8601
    package var acceptedContent = AcceptedContent.json

    package init(url: URLTemplate, fields: Fields) {
        self.url = url
        self.fields = fields
    }
}

/// A URL with `{id}`, `{ids}`, `{currency}` and `{key}` in its path or query.
package struct URLTemplate: Sendable, Hashable {
    /// Scheme, host and port.
    package let base: String
    /// The rest, from the first slash or question mark on.
    private let rest: String

    /// Nil without a scheme and host before the first placeholder.
    package init?(_ text: String) {
        guard let scheme = text.range(of: "://") else { return nil }
        let end = text[scheme.upperBound...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        base = String(text[..<end])
        rest = String(text[end...])
        guard !base.contains("{"), end > scheme.upperBound else { return nil }
    }

    /// True for one request a market, false for one request for all.
    var asksOneByOne: Bool { rest.contains("{id}") }

    /// Path and query for these names, percent-encoded. Without a key, its placeholder remains, encoded.
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
