import Foundation
import Markets

extension Configuration {
    /// Describes any server that answers with JSON.
    struct JSONFeed: Hashable, Sendable {
        /// `headers`, in the file's order; a value may contain `{key}` and is never printed.
        var headers: [Header] = []
        /// `list`: a JSON Pointer to the markets; empty: the whole document.
        var list = ""
        /// `fields`: JSON Pointers within one market.
        var fields = Fields()
        /// `time_format`: of `quoted_at`.
        var timeFormat: TimeFormat = .iso8601
        /// `content_type`: which content types are accepted.
        var contentType: ContentType = .json

        struct Header: Hashable, Sendable {
            var name: String
            var value: Secret
        }

        struct Fields: Hashable, Sendable {
            /// `price`: required.
            var price = ""
            /// `id`: required if `list` points to an array.
            var id: String?
            var quotedAt: String?
            /// `change_24h_percent`
            var change24h: String?
            /// `volume_24h`
            var volume24h: String?
            var name: String?
            var symbol: String?
        }

        enum TimeFormat: String, Hashable, Sendable, CaseIterable {
            case iso8601
            case epochSeconds = "epoch_s"
            case epochMilliseconds = "epoch_ms"
        }

        enum ContentType: String, Hashable, Sendable, CaseIterable {
            /// `application/json`, `text/json` and `application/…+json`.
            case json
            /// Any content type.
            case any
        }
    }
}

extension Configuration.JSONFeed {
    static let keys = ["headers", "list", "fields", "time_format", "content_type", "currency"]

    /// nil for another provider, whose feeds do not have these keys.
    init?(_ section: Section, provider: ProviderName?, url: String?, key: Configuration.Secret?, in currency: Currency?)
    {
        let given = Self.keys.filter(section.holds)
        if let provider, provider != .json {
            for key in given { section.fault(at: key, "belongs to provider: json") }
            for key in Self.keys { section.ignore(key) }
            return nil
        }
        self.init()
        if let named = section.section("headers") { headers = Self.headers(named) }
        list = section.value("list", .jsonPointer) ?? list
        if let named = section.section("fields") { fields = Fields(named) }
        timeFormat = section.value("time_format", .word(TimeFormat.self)) ?? timeFormat
        contentType = section.value("content_type", .word(ContentType.self)) ?? contentType
        let stated = section.value("currency", .currency)
        guard provider == .json else { return }
        if !section.holds("url") { section.fault("needs a url with {id} or {ids} in it") }
        if !section.holds("fields") { section.fault("needs fields: {price: …}, a JSON Pointer such as /last") }
        guard let url else { return }
        Self.judge(stated, section, asksForOurs: url.contains("{currency}"), in: currency)
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

    /// Prices keep the currency that they were quoted in. A currency other than the configured one cannot be recorded.
    private static func judge(
        _ stated: Currency?, _ section: Section, asksForOurs: Bool, in currency: Currency?
    ) {
        guard let stated else {
            if !asksForOurs, !section.holds("currency") {
                section.fault(
                    "needs currency, what its prices are quoted in, such as currency: \(currency ?? .usd) "
                        + "(or {currency} in url)")
            }
            return
        }
        guard let currency, stated != currency else { return }
        section.fault(
            at: "currency",
            asksForOurs
                ? "\(stated) is not what {currency} in url asks for, \(currency): leave currency out"
                : "\(stated) is not the currency of everything else, \(currency): ask this server for \(currency), "
                    + "or set currency: \(stated) at the top")
    }

    private static func headers(_ section: Section) -> [Header] {
        let names = section.names.filter { !$0.hasSuffix("_file") && !$0.hasSuffix("_env") }
        let indirect = section.names.filter { $0.hasSuffix("_file") || $0.hasSuffix("_env") }
            .map { String($0.dropLast($0.hasSuffix("_env") ? 4 : 5)) }
        var headers: [Header] = []
        for name in names + indirect.filter({ !names.contains($0) }) {
            guard let value = section.secret(name) else { continue }
            let token = name.utf8.allSatisfy { Self.tokenCharacters.contains($0) }
            if name.isEmpty || !token { section.fault(at: name, "is no name of an HTTP header") }
            headers.append(Header(name: name, value: value))
        }
        section.finish()
        return headers
    }

    /// RFC 9110, 5.6.2.
    private static let tokenCharacters = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}

extension Configuration.JSONFeed.Fields {
    init(_ section: Section) {
        self.init()
        if let pointer = section.value("price", .jsonPointer) {
            price = pointer
        } else if !section.holds("price") {
            section.fault("needs price, a JSON Pointer such as /last")
        }
        id = section.value("id", .jsonPointer)
        quotedAt = section.value("quoted_at", .jsonPointer)
        change24h = section.value("change_24h_percent", .jsonPointer)
        volume24h = section.value("volume_24h", .jsonPointer)
        name = section.value("name", .jsonPointer)
        symbol = section.value("symbol", .jsonPointer)
        section.finish()
    }
}
