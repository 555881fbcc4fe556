import Foundation
import Markets

/// Binance spot, market data alone. Facts: github.com/binance/binance-spot-api-docs, `rest-api.md`.
///
/// It quotes pairs, mostly against USDT, which is no dollar: which pair may stand for a market is the owner's to say.
public struct Binance: ListedProvider {
    public static let name = "binance"
    /// It knows no market caps.
    public static let ranksMarkets = false

    /// 6,000 weights a minute for an address, of which a request takes 2 to 40.
    public static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://data-api.binance.vision")
    ]

    public init(plan: ProviderPlan = .public) {}

    public let errorCodes: [Int: ErrorRule] = [
        -1000: ErrorRule(.server, "an unknown fault", isRetryable: true, scope: .request),
        -1001: ErrorRule(.server, "disconnected inside", isRetryable: true, scope: .request),
        -1003: ErrorRule(.rateLimited, "too many requests", cure: ErrorRule.tooMany, isRetryable: true),
        -1006: ErrorRule(.server, "an unexpected answer inside", isRetryable: true, scope: .request),
        -1007: ErrorRule(.timeout, "timed out inside", isRetryable: true, scope: .request),
        -1100: ErrorRule(.notFound, "a symbol cannot be one", cure: "check the ids for binance", scope: .request),
        -1121: ErrorRule(.notFound, "there is no such symbol", cure: "check the ids for binance", scope: .request),
    ]

    public let errorStatuses: [Int: ErrorRule] = [
        418: ErrorRule(.rateLimited, "banned for asking too often", cure: ErrorRule.tooMany, isRetryable: true)
    ]

    public var refusesUnknownNames: Bool { true }

    /// 21 to 100 symbols weigh 40, more of them 80.
    private static let pageSize = 100

    public func pages(for watch: Watch) -> [PageRequest] {
        watch.entries.pages(of: Self.pageSize).map { entries in
            PageRequest(
                DayTickers(currency: watch.currency, symbols: entries.map(\.providerID), names: entries.names),
                .named(entries.map(\.market)))
        }
    }
}

extension Binance {
    /// `GET /api/v3/ticker/24hr`: the last price and the day before it.
    struct DayTickers: FeedRequest {
        typealias Response = QuotePage

        var currency: Currency
        var symbols: [String]
        var names: [String: MarketID]

        var path: RequestPath { "/api/v3/ticker/24hr" }

        /// A JSON list, without blanks.
        var query: [URLQueryItem] {
            [URLQueryItem(name: "symbols", value: "[" + symbols.map(JSONString.quoted).joined(separator: ",") + "]")]
        }

        /// A list, or the row itself where one symbol was asked.
        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let answer = try JSONDocument(body).root
            if let rows = answer.items { return QuotePage(rows: rows.map(quoteRow)) }
            // Unlike a row in a list, an object must be one.
            guard answer["symbol"]?.text != nil else { throw UnreadableBody(misshapen: body, at: "/symbol") }
            return QuotePage(rows: [quoteRow(answer)])
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let symbol = row["symbol"]?.id, let market = names[symbol] ?? (try? MarketID(symbol)) else {
                return .nameless
            }
            // The time of the last change to the day's figures; a symbol that is traded no more stays at its last.
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
