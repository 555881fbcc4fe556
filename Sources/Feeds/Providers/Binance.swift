import Foundation
import Markets

/// Binance spot, market data only. Facts: github.com/binance/binance-spot-api-docs, `rest-api.md`.
///
/// It quotes pairs, mostly against USDT, which is not a dollar: the owner decides which pair represents a market.
package struct Binance: ListedProvider {
    package static let name = "binance"
    /// It has no market caps.
    package static let ranksMarkets = false

    /// 6,000 weight units a minute for each IP address; a request takes 2 to 40.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://data-api.binance.vision")
    ]

    package init(plan: ProviderPlan = .public) {}

    package let errorCodes: [Int: ErrorRule] = [
        -1000: ErrorRule(.server, "an unknown fault", isRetryable: true, scope: .request),
        -1001: ErrorRule(.server, "disconnected inside", isRetryable: true, scope: .request),
        -1003: ErrorRule(.rateLimited, "too many requests", hint: ErrorRule.tooMany, isRetryable: true),
        -1006: ErrorRule(.server, "an unexpected answer inside", isRetryable: true, scope: .request),
        -1007: ErrorRule(.timeout, "timed out inside", isRetryable: true, scope: .request),
        -1100: ErrorRule(.notFound, "a symbol cannot be one", hint: "check the ids for binance", scope: .request),
        -1121: ErrorRule(.notFound, "there is no such symbol", hint: "check the ids for binance", scope: .request),
    ]

    package let errorStatuses: [Int: ErrorRule] = [
        418: ErrorRule(.rateLimited, "banned for asking too often", hint: ErrorRule.tooMany, isRetryable: true)
    ]

    package var refusesUnknownNames: Bool { true }

    /// 21 to 100 symbols weigh 40, more than 100 weigh 80.
    private static let pageSize = 100

    package func pages(for watch: Watch) -> [PageRequest] {
        watch.entries.pages(of: Self.pageSize).map { entries in
            PageRequest(
                DayTickers(currency: watch.currency, symbols: entries.map(\.providerID), names: entries.names),
                .named(entries.map(\.market)))
        }
    }
}

extension Binance {
    /// `GET /api/v3/ticker/24hr`: the last price and the change over 24 hours.
    struct DayTickers: FeedRequest {
        typealias Response = QuotePage

        var currency: Currency
        var symbols: [String]
        var names: [String: MarketID]

        var path: RequestPath { "/api/v3/ticker/24hr" }

        /// A JSON list, without spaces.
        var query: [URLQueryItem] {
            [URLQueryItem(name: "symbols", value: "[" + symbols.map(JSONString.quoted).joined(separator: ",") + "]")]
        }

        /// A list, or the row itself if one symbol was requested.
        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let answer = try JSONDocument(body).root
            if let rows = answer.items { return QuotePage(rows: rows.map(quoteRow)) }
            // A single object must be a row, unlike an element of a list.
            guard answer["symbol"]?.text != nil else { throw UnreadableBody(misshapen: body, at: "/symbol") }
            return QuotePage(rows: [quoteRow(answer)])
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let symbol = row["symbol"]?.id, let market = names[symbol] ?? (try? MarketID(symbol)) else {
                return .nameless
            }
            // The time of the last update of the day's figures; it stops when a symbol is no longer traded.
            let (price, stated) = (row["lastPrice"], row["closeTime"])
            let time = stated?.millisecondsTime
            return .priced(market, price, price?.numeralInText, at: stated, time) {
                Quote(
                    market: market, symbol: symbol.lowercased(), name: symbol, currency: currency, price: $0,
                    quotedAt: time,
                    reportedChange: row["priceChangePercent"]?.numeralInText.flatMap { Percent(rounding: $0) },
                    volume24h: row["quoteVolume"]?.numeralInText?.double)
            }
        }
    }
}
