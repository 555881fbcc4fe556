import Feeds
import Foundation
import HTTP
import Markets

/// The keys of `provider: json`.
extension Configuration.Feed {
    private static let jsonKeys = ["headers", "list", "fields", "time_format", "content_type", "currency"]

    /// - Parameters:
    ///   - isJSON: Whether the provider is `json`; nil: the provider is faulty.
    ///   - usual: The configuration's currency.
    mutating func readJSON(_ section: Section, isJSON: Bool?, in usual: Currency) {
        if isJSON == false {
            for key in Self.jsonKeys where section.holds(key) {
                section.fault(at: key, "belongs to provider: json")
            }
            return
        }
        let template = url.flatMap(URLTemplate.init)
        let given = section.section("headers") { section in
            section.headers().map { SecretHeader(name: $0.name, value: $0.value) }
        }
        let headers = given ?? []
        let list = section.value("list", .jsonPointer) ?? JSONPointer("")
        let fields = section.section("fields") { JSONFeed.Fields($0) }
        let timeFormat = section.value("time_format", .word as Scalar<JSONFeed.TimeFormat>)
        let content = section.value("content_type", .word as Scalar<AcceptedContent>)
        section.read("currency", into: &currency, .currency)
        guard isJSON == true else { return }
        if let template, let list, let fields {
            var description = JSONFeed(url: template, list: list, fields: fields)
            description.headers = headers
            description.timeFormat = timeFormat ?? description.timeFormat
            description.acceptedContent = content ?? description.acceptedContent
            json = description
        }
        if !section.holds("url") { section.fault("needs a url, such as \"https://prices.example.com/{id}\"") }
        if !section.holds("fields") { section.fault("needs fields: {price: …}, a JSON Pointer such as /last") }
        guard let url else { return }
        if !url.contains("{currency}"), !section.holds("currency") {
            section.fault(
                "needs currency, what its prices are quoted in, such as currency: \(usual) (or {currency} in url)")
        }
        if url.contains("{id}"), url.contains("{ids}") {
            section.fault(at: "url", "holds {id} and {ids}: one request a market, or one for all, not both")
        }
        let usesKey = url.contains("{key}") || headers.contains { $0.value.revealed.contains("{key}") }
        if usesKey, !section.holds("key") {
            section.fault(at: "url", "holds {key}, but no key is given: add key_file, key_env or key")
        }
        if key != nil, !usesKey {
            section.fault(at: "key", "is used nowhere: put {key} into url or headers, or leave it out")
        }
    }
}

extension JSONFeed.Fields {
    fileprivate init?(_ section: Section) {
        let price = section.value("price", .jsonPointer)
        if !section.holds("price") { section.fault("needs price, a JSON Pointer such as /last") }
        guard let price = price ?? JSONPointer("") else { return nil }
        self.init(price: price)
        section.read("id", into: &id, .jsonPointer)
        section.read("quoted_at", into: &quotedAt, .jsonPointer)
        section.read("change_24h_percent", into: &change24hPercent, .jsonPointer)
        section.read("volume_24h", into: &volume24h, .jsonPointer)
        section.read("name", into: &name, .jsonPointer)
        section.read("symbol", into: &symbol, .jsonPointer)
    }
}
