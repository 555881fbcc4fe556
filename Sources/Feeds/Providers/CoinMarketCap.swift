import Foundation
import Markets

/// CoinMarketCap, API v3. Facts: coinmarketcap.com/api/documentation.
public struct CoinMarketCap: ListedProvider {
    public static let name = "coinmarketcap"
    public static let ranksMarkets = true

    /// Without a key the same paths lie below `/public-api`; the number there is not known. Demo is the plan Basic.
    public static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://pro-api.coinmarketcap.com/public-api"),
        .demo: ProviderTerms("https://pro-api.coinmarketcap.com", quotaMonth: 15_000, every: .seconds(300)),
        .pro: ProviderTerms("https://pro-api.coinmarketcap.com"),
    ]

    public let plan: ProviderPlan

    public init(plan: ProviderPlan) { self.plan = plan }

    public func header(for key: Secret) -> (name: String, value: String)? {
        plan == .public ? nil : ("X-CMC_PRO_API_KEY", key.revealed)
    }

    public let errorCodes: [Int: ErrorRule] = [
        1001: ErrorRule(.unauthorized, "the key is not valid", cure: "check key_file"),
        1002: ErrorRule(.unauthorized, "the key is missing", cure: "set key_file and plan: demo or plan: pro"),
        1003: ErrorRule(.forbidden, "the plan is not active", cure: "activate it at coinmarketcap.com"),
        1004: ErrorRule(.forbidden, "the plan is not paid", cure: "pay it at coinmarketcap.com"),
        1005: ErrorRule(.forbidden, "the address needs a key", cure: "set key_file and plan: demo or plan: pro"),
        1006: ErrorRule(.forbidden, "the plan does not cover this request", cure: "ask for less, or a larger plan"),
        1007: ErrorRule(.forbidden, "the key is disabled", cure: "write to coinmarketcap.com"),
        1008: ErrorRule(.rateLimited, "too many requests a minute", cure: ErrorRule.tooMany, isRetryable: true),
        1009: ErrorRule(.quota, "the day's quota is used up", cure: "poll less often, or a larger plan"),
        1010: ErrorRule(.quota, "the month's quota is used up", cure: "poll less often, or a larger plan"),
        1011: ErrorRule(
            .rateLimited, "too many requests from this address", cure: ErrorRule.tooMany, isRetryable: true),
    ]

    /// A request costs one credit for each hundred markets: so a credit is a request.
    private static let pageSize = 100

    public func pages(for watch: Watch) -> [PageRequest] {
        let names = watch.entries.names
        var pages = watch.entries.pages(of: Self.pageSize).map { entries in
            PageRequest(
                Latest(watch: watch, selection: .ids(entries.map(\.providerID)), names: names),
                .named(entries.map(\.market)))
        }
        for first in stride(from: 1, through: watch.top, by: Self.pageSize) {
            let selection = Latest.Selection.largest(first: first, count: Self.pageSize)
            pages.append(PageRequest(Latest(watch: watch, selection: selection, names: names), .ranked))
        }
        return pages
    }
}

extension CoinMarketCap {
    /// `GET /v3/cryptocurrency/quotes/latest` of the markets named, `…/listings/latest` of the largest.
    struct Latest: FeedRequest {
        typealias Response = QuotePage

        enum Selection: Sendable {
            case ids([String])
            /// - Parameter first: from 1.
            case largest(first: Int, count: Int)
        }

        var watch: Watch
        var selection: Selection
        var names: [String: MarketID]

        var path: RequestPath {
            switch selection {
            case .ids: "/v3/cryptocurrency/quotes/latest"
            case .largest: "/v3/cryptocurrency/listings/latest"
            }
        }

        var query: [URLQueryItem] {
            var query: [URLQueryItem]
            switch selection {
            case .ids(let ids):
                query = [
                    URLQueryItem(name: "id", value: ids.joined(separator: ",")),
                    // Else one unknown id is an error for all.
                    URLQueryItem(name: "skip_invalid", value: "true"),
                ]
            case .largest(let first, let count):
                query = [
                    URLQueryItem(name: "start", value: "\(first)"), URLQueryItem(name: "limit", value: "\(count)"),
                ]
            }
            return query + [URLQueryItem(name: "convert", value: watch.currencyInCapitals)]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let data = try JSONDocument(body).root["data"]
            if let list = data?.items { return QuotePage(rows: list.map(quoteRow)) }
            // Else keyed by id: of rows, or of lists of them.
            guard let keyed = data?.members else { throw UnreadableBody(misshapen: body, at: "/data") }
            return QuotePage(rows: keyed.flatMap { $0.items?.map(quoteRow) ?? [quoteRow($0)] })
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let id = (row["id"]?.numeral ?? row["id"]?.numeralInText)?.integer,
                let market = names["\(id)"] ?? KnownMarkets.market(called: "\(id)", at: CoinMarketCap.name)
            else { return .nameless }
            let quote = converted(row["quote"])
            let price = quote?["price"]
            let stated = quote?["last_updated"]?.unlessNull ?? row["last_updated"]
            let time = stated?.time
            return .priced(market, price, price?.numeral, at: stated, time) {
                Quote(
                    market: market, symbol: (row["symbol"]?.text ?? "").lowercased(), name: row["name"]?.text ?? "",
                    currency: watch.currency, price: $0, quotedAt: time,
                    reportedChange: quote?["percent_change_24h"]?.percent, volume24h: quote?["volume_24h"]?.double,
                    marketCap: quote?["market_cap"]?.double)
            }
        }

        /// The figures in our currency, of a list of currencies or an object keyed by them.
        private func converted(_ quotes: JSONValue?) -> JSONValue? {
            quotes?.items?.first { $0["symbol"]?.id?.lowercased() == watch.currency.code }
                ?? quotes?.members?.first { $0.name?.ifID?.lowercased() == watch.currency.code }
        }
    }
}
