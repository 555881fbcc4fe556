import Foundation
import HTTP
import Markets

/// Any server that answers with JSON: how to request prices, and how to read the answer, as the owner describes it.
package struct JSONFeed: Provider, Hashable {
    /// By its word in the configuration.
    package enum TimeFormat: String, CaseIterable, Sendable {
        case iso8601
        case epochSeconds = "epoch_s"
        case epochMilliseconds = "epoch_ms"
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

    /// A URL with `{id}` or `{ids}`, `{currency}` and `{key}` in path or query. One without id is asked for one market,
    /// or the document says which markets it has.
    package var url: URLTemplate
    /// Their values may hold `{key}`.
    package var headers: [SecretHeader] = []
    /// Where the markets are: a list, or an object keyed by id.
    package var list: JSONPointer
    package var fields: Fields
    package var timeFormat = TimeFormat.iso8601
    package var acceptedContent = AcceptedContent.json

    package init(url: URLTemplate, list: JSONPointer, fields: Fields) {
        self.url = url
        self.list = list
        self.fields = fields
    }

    package func headers(with key: Secret?) -> [(name: String, value: String)] {
        headers.map { ($0.name, $0.value.revealed.replacingBytes(of: ["{key}"], with: key?.revealed ?? "")) }
    }

    /// Their own servers are seldom blocked for good.
    package var blocks: ClosedRange<Duration> { .minutes(1)...(.minutes(15)) }

    package var errors: ProviderErrors {
        var errors = ProviderErrors()
        errors.statuses[401] = .init(.unauthorized, "the key is missing or not accepted", hint: "check key and headers")
        errors.statuses[402] = .init(.forbidden, "payment required", hint: "check the server")
        errors.statuses[403] = .init(.forbidden, "access denied", hint: "check key and headers")
        errors.webPage.hint = "check url: a login or error page of the server, or a proxy"
        return errors
    }

    package func pages(for watch: Watch) -> [PageRequest] {
        watch.namedPages(of: url.asksOneByOne ? 1 : 250) {
            Prices(feed: self, entries: $0, currency: watch.currency)
        }
    }
}

/// A URL with `{id}`, `{ids}`, `{currency}` and `{key}` in its path or query.
package struct URLTemplate: Hashable, Sendable {
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

    /// Whether the answer depends on the markets that are asked for.
    package var namesMarkets: Bool { asksOneByOne || rest.contains("{ids}") }

    /// Path and query for these names, percent-encoded. Without a key, its placeholder remains, encoded.
    func filled(_ names: [String], _ currency: Currency, key: Secret?) -> String {
        let names = names.map(\.pathSegment)
        let values = [
            "id": names.first ?? "", "ids": names.joined(separator: ","), "currency": currency.code.pathSegment,
            "key": key?.revealed.pathSegment ?? "%7Bkey%7D",
        ]
        return values.reduce(rest) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

/// A JSON pointer, RFC 6901.
package struct JSONPointer: Hashable, Sendable {
    fileprivate let steps: [String]
    /// As written; `""` for the whole document.
    fileprivate let text: String

    /// Nil if invalid: a pointer is empty, for the whole document, or begins with a slash, and has no tilde but in `~0`
    /// and `~1`.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/"), !text.contains(/~([^01]|$)/) else { return nil }
        self.text = text.isEmpty ? "\"\"" : SafeText.line(text, atMost: 100)
        steps = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacingBytes(of: ["~1"], with: "/").replacingBytes(of: ["~0"], with: "~")
        }
    }

    /// Nil if there is no value.
    func value(in document: JSONValue) -> JSONValue? {
        let end = end(in: document)
        return end.depth == steps.count ? end.value : nil
    }

    /// How many steps lead to a value, and the last value.
    private func end(in document: JSONValue) -> (depth: Int, value: JSONValue) {
        var place = document
        for (depth, step) in steps.enumerated() {
            // RFC 6901 allows no signs and no leading zeros.
            guard let next = place[step] ?? Int(step).flatMap({ "\($0)" == step ? place[$0] : nil }) else {
                return (depth, place)
            }
            place = next
        }
        return (steps.count, place)
    }

    /// Where the pointer ends before its value: `/data is a list of 2`.
    fileprivate func deadEnd(in document: JSONValue, called name: String) -> String {
        let (depth, value) = end(in: document)
        let passed = steps.prefix(depth).map { "/" + $0 }.joined()
        return "\(depth == 0 ? name : SafeText.line(passed, atMost: 60)) is \(value.inWords)"
    }
}

extension [QuoteRow] {
    /// The markets whose newest quotes have several prices of one time: none of them is known to be the right one.
    fileprivate var contradicted: Set<MarketID> {
        var newest: [MarketID: Quote] = [:]
        var contradicted: Set<MarketID> = []
        for case .quote(let quote) in self {
            let before = newest[quote.market]
            let (old, new) = (before?.quotedAt ?? .distantPast, quote.quotedAt ?? .distantPast)
            if before == nil || new > old {
                newest[quote.market] = quote
                contradicted.remove(quote.market)
            } else if new == old, before?.price != quote.price {
                contradicted.insert(quote.market)
            }
        }
        return contradicted
    }
}

extension JSONValue {
    /// An id or a name: a text, or a number's digits.
    var word: String? { text ?? numeral?.integer.map { "\($0)" } ?? digits }

    /// For messages: `an object with the keys a, b`.
    fileprivate var inWords: String {
        switch kind {
        case .object:
            let names = children.compactMap(\.name).sorted()
            if names.isEmpty { return "an empty object" }
            let keys = names.prefix(5).map { SafeText.line($0, atMost: 30) }
            return "an object with the key\(names.count == 1 ? "" : "s") " + keys.joined(separator: ", ")
                + (names.count > 5 ? ", …" : "")
        case .list: return "a list of \(Array(children).count)"
        case .text, .escapedText: return "the text \"\(SafeText.printable(text ?? "", atMost: 40))\""
        case .number: return "a number"
        case .true, .false: return "true or false"
        case .null: return "null"
        }
    }
}

// MARK: Reading an answer

extension JSONFeed {
    /// A pointer that fails for every market is an error that names it; a fault in one market affects that market only.
    struct Prices: FeedRequest {
        var feed: JSONFeed
        var entries: [Watch.Entry]
        var currency: Currency

        private var fields: Fields { feed.fields }

        /// A market's part of the document; the id is nil if the value is not a valid one.
        private typealias Row = (id: String?, value: JSONValue)

        /// Empty: the owner's URL is not to be shown.
        var path: String { "" }
        var acceptedContent: AcceptedContent { feed.acceptedContent }

        func url(below base: BaseURL, key: Secret?) -> String {
            base.text + feed.url.filled(entries.map(\.providerID), currency, key: key)
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            let rows = try rows(of: try JSONDocument(body).root)
            try judge(fields.price, "fields.price", rows, expected: "a number") { value in
                // Exchanges write "n/a" for a suspended market, beside valid ones.
                value.isNull || value.figure != nil || (rows.count > 1 && value.word != nil)
            }
            if let pointer = fields.quotedAt {
                let form = "a time in the form \(feed.timeFormat.rawValue)"
                try judge(pointer, "fields.quoted_at", rows, expected: form, hint: timeFormatHint) {
                    $0.isNull || time($0) != nil
                }
            }
            let names = entries.names
            let quoteRows = rows.map { quoteRow($0, names) }
            let contradicted = quoteRows.contradicted
            guard !contradicted.isEmpty else { return quoteRows }
            return quoteRows.map { row in
                guard case .quote(let quote) = row, contradicted.contains(quote.market) else { return row }
                return .unusable(quote.market, .badPrice)
            }
        }

        private func rows(of document: JSONValue) throws(UnreadableBody) -> [Row] {
            guard let place = feed.list.value(in: document) else {
                throw misfit("list", feed.list, feed.list.deadEnd(in: document, called: "the document"))
            }
            let isAboutOne = feed.url.asksOneByOne || (!feed.url.namesMarkets && entries.count == 1)
            let only = isAboutOne ? entries.first?.providerID : nil
            switch (place.kind, only) {
            case (.object, let only?):
                // The market itself, unless it is keyed by its id.
                let isItself = fields.price.value(in: place).map { ![.object, .list].contains($0.kind) } ?? false
                let member = isItself ? nil : place[only]
                return [(id: only, value: member ?? place)]
            case (.object, nil):
                return place.children.map { (id: $0.name, value: $0) }
            case (.list, _):
                if let id = fields.id {
                    let rows = place.children.map { (id: id.value(in: $0)?.word, value: $0) }
                    try judge(id, "fields.id", rows, expected: "a text or a number") { $0.word != nil }
                    return rows
                }
                if let only, place[1] == nil { return place.children.map { (id: only, value: $0) } }
                throw UnreadableBody(reason: "has a list at \(feed.list.text) (list), so fields.id is needed")
            // A single market, with a document that is its price.
            case (_, let only?) where fields.price.steps.isEmpty:
                return [(id: only, value: place)]
            default:
                throw misfit("list", feed.list, "there is \(place.inWords), where a list or an object is expected")
            }
        }

        /// Throws if no row has the expected value at `pointer`.
        private func judge(
            _ pointer: JSONPointer, _ key: String, _ rows: [Row], expected: String,
            hint: (JSONValue) -> String = { _ in "" },
            _ isFit: (JSONValue) -> Bool
        ) throws(UnreadableBody) {
            let values = rows.lazy.compactMap { pointer.value(in: $0.value) }
            guard let first = rows.first, !values.contains(where: isFit) else { return }
            let all = rows.count == 1 ? "" : " in any of \(rows.count) markets"
            if let found = values.first {
                throw misfit(
                    key, pointer, "there is \(found.inWords), where \(expected) is expected\(all)\(hint(found))")
            }
            let end = pointer.deadEnd(in: first.value, called: "a market")
            throw misfit(key, pointer, "nothing is there\(all); \(end)")
        }

        private func misfit(_ key: String, _ pointer: JSONPointer, _ reason: String) -> UnreadableBody {
            UnreadableBody(reason: "does not fit \(key): \(pointer.text): \(reason)")
        }

        private func quoteRow(_ row: Row, _ names: [String: MarketID]) -> QuoteRow {
            guard let id = row.id?.ifID, let market = names[id] ?? (try? MarketID(id)) else { return .nameless }
            func field(_ pointer: JSONPointer?) -> JSONValue? { pointer?.value(in: row.value) }
            return .priced(market, field(fields.price), \.figure, at: field(fields.quotedAt), time) {
                Quote(
                    market: market, symbol: field(fields.symbol)?.word ?? "", name: field(fields.name)?.word ?? "",
                    currency: currency, price: $0, quotedAt: $1,
                    reportedChange: field(fields.change24hPercent)?.figure.flatMap { Percent(rounding: $0) },
                    volume24h: field(fields.volume24h)?.figure?.double)
            }
        }

        /// The format in which a value would be a time.
        private func timeFormatHint(_ value: JSONValue) -> String {
            let format = TimeFormat.allCases.first { time(value, in: $0) != nil }
            return format.map { "; set time_format: \($0.rawValue)" } ?? ""
        }

        private func time(_ value: JSONValue) -> Date? { time(value, in: feed.timeFormat) }

        private func time(_ value: JSONValue, in format: TimeFormat) -> Date? {
            let number = value.figure?.double
            return switch format {
            case .iso8601: value.time
            case .epochSeconds: number.flatMap { Date(timeIntervalSince1970: $0).ifBelievable }
            case .epochMilliseconds: number.flatMap { Date(timeIntervalSince1970: $0 / 1000).ifBelievable }
            }
        }
    }
}
