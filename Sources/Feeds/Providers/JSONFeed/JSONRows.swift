import Foundation
import Markets

/// Reads the markets of a document by the owner's pointers. A pointer that fails for every market is an error that
/// names it; a fault in one market affects that market only.
struct JSONRows {
    var description: JSONFeedDescription
    var entries: [Watch.Entry]
    var currency: Currency

    private var fields: JSONFeedDescription.Fields { description.fields }

    func read(_ document: JSONValue) throws(UnreadableBody) -> QuotePage {
        let rows = try rows(of: document)
        guard !rows.isEmpty else { return QuotePage(rows: []) }
        try judge(fields.price, "fields.price", rows, expected: "a number") { value in
            // Exchanges write "n/a" for a suspended market, beside valid ones.
            value.isNull || value.figure != nil || (rows.count > 1 && value.word != nil)
        }
        if let pointer = fields.quotedAt {
            try judge(pointer, "fields.quoted_at", rows, expected: "a time in the form \(timeFormatName)") { value in
                value.isNull || time(value) != nil
            }
        }
        let names = entries.names
        return QuotePage(rows: rows.map { quoteRow($0, names) })
    }

    /// A market's part of the document.
    private struct Row {
        /// Nil if the value is not a valid id.
        var id: String?
        var value: JSONValue
    }

    private func rows(of document: JSONValue) throws(UnreadableBody) -> [Row] {
        let pointer = description.list
        let place: JSONValue
        switch pointer?.find(in: document) ?? .success(document) {
        case .success(let found): place = found
        case .failure(let end): throw Self.wrong("list", pointer, end.reason)
        }
        let only = description.url.asksOneByOne ? entries.first?.providerID : nil
        if let members = place.members {
            if let only {
                // The market itself, unless it is keyed by its id.
                if fields.price.value(in: place) == nil, let member = place[only] {
                    return [Row(id: only, value: member)]
                }
                return [Row(id: only, value: place)]
            }
            return members.map { Row(id: $0.name, value: $0) }
        }
        if let items = place.items {
            guard let id = fields.id else {
                if let only, place[1] == nil { return items.map { Row(id: only, value: $0) } }
                throw UnreadableBody(
                    reason: "has a list at \(pointer?.description ?? "its top") (list), so fields.id is needed",
                    isRetryable: false)
            }
            let rows = items.map { Row(id: id.value(in: $0)?.word, value: $0) }
            try judge(id, "fields.id", rows, expected: "a text or a number") { $0.word != nil }
            return rows
        }
        // A single market, with a document that is its price.
        if let only, fields.price.text.isEmpty { return [Row(id: only, value: place)] }
        throw Self.wrong("list", pointer, "there is \(place.inWords), where a list or an object is expected")
    }

    /// Throws if no row has the expected value at `pointer`.
    private func judge(
        _ pointer: JSONPointer, _ key: String, _ rows: [Row], expected: String, _ isFit: (JSONValue) -> Bool
    ) throws(UnreadableBody) {
        guard let first = rows.first else { return }
        for row in rows {
            if let value = pointer.value(in: row.value), isFit(value) { return }
        }
        let all = rows.count == 1 ? "" : " in any of \(rows.count) markets"
        let examples = rows.lazy.compactMap { pointer.value(in: $0.value) }
        if let found = examples.first {
            throw Self.wrong(key, pointer, "there is \(found.inWords), where \(expected) is expected\(all)")
        }
        if case .failure(let end) = pointer.find(in: first.value) {
            let place = end.at.isEmpty ? "a market" : SafeText.line(end.at, atMost: 60)
            throw Self.wrong(key, pointer, "nothing is there\(all); \(place) is \(end.found.inWords)")
        }
    }

    private static func wrong(_ key: String, _ pointer: JSONPointer?, _ reason: String) -> UnreadableBody {
        let text = pointer.map { SafeText.line($0.description, atMost: 100) } ?? "\"\""
        return UnreadableBody(reason: "does not fit \(key): \(text): \(reason)", isRetryable: false)
    }

    private func quoteRow(_ row: Row, _ names: [String: MarketID]) -> QuoteRow {
        guard let id = row.id?.ifID, let market = names[id] ?? (try? MarketID(id)) else { return .nameless }
        func field(_ pointer: JSONPointer?) -> JSONValue? { pointer.flatMap { $0.value(in: row.value) } }
        let (price, stated) = (field(fields.price), field(fields.quotedAt))
        let quotedAt = stated.flatMap(time)
        return .priced(market, price, price?.figure, at: stated, quotedAt) {
            Quote(
                market: market, symbol: field(fields.symbol)?.word ?? "", name: field(fields.name)?.word ?? "",
                currency: currency, price: $0, quotedAt: quotedAt,
                reportedChange: field(fields.change24hPercent)?.figure.flatMap { Percent(rounding: $0) },
                volume24h: field(fields.volume24h)?.figure?.double)
        }
    }

    private var timeFormatName: String {
        switch description.timeFormat {
        case .iso8601: "iso8601"
        case .epochSeconds: "epoch_s"
        case .epochMilliseconds: "epoch_ms"
        }
    }

    private func time(_ value: JSONValue) -> Date? {
        let number = value.figure?.double
        let time =
            switch description.timeFormat {
            case .iso8601: value.word.flatMap { Date(utcText: $0) }
            case .epochSeconds: number.map { Date(timeIntervalSince1970: $0) }
            case .epochMilliseconds: number.map { Date(timeIntervalSince1970: $0 / 1000) }
            }
        return time?.ifBelievable
    }
}
