import Foundation
import HTTP
import Markets

/// CoinMarketCap, API v3. Facts: coinmarketcap.com/api/documentation.
package struct CoinMarketCap: ListedProvider {
    package static let name = "coinmarketcap"
    package static let ranksMarkets = true

    /// Without a key the same paths are below `/public-api`; its quota is not known. Demo is the plan Basic.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://pro-api.coinmarketcap.com/public-api"),
        .demo: ProviderTerms("https://pro-api.coinmarketcap.com", quotaMonth: 15_000, every: .seconds(300)),
        .pro: ProviderTerms("https://pro-api.coinmarketcap.com"),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    package func header(for key: Secret) -> (name: String, value: String)? {
        plan == .public ? nil : ("X-CMC_PRO_API_KEY", key.revealed)
    }

    package let errorCodes: [Int: ErrorRule] = [
        1001: ErrorRule(.unauthorized, "the key is not valid", hint: "check key_file"),
        1002: ErrorRule(.unauthorized, "the key is missing", hint: "set key_file and plan: demo or plan: pro"),
        1003: ErrorRule(.forbidden, "the plan is not active", hint: "activate it at coinmarketcap.com"),
        1004: ErrorRule(.forbidden, "the plan is not paid", hint: "pay it at coinmarketcap.com"),
        1005: ErrorRule(.forbidden, "the address needs a key", hint: "set key_file and plan: demo or plan: pro"),
        1006: ErrorRule(.forbidden, "the plan does not cover this request", hint: "ask for less, or a larger plan"),
        1007: ErrorRule(.forbidden, "the key is disabled", hint: "write to coinmarketcap.com"),
        1008: ErrorRule(.rateLimited, "too many requests a minute", hint: ErrorRule.tooMany, isRetryable: true),
        1009: ErrorRule(.quota, "the day's quota is used up", hint: "poll less often, or a larger plan"),
        1010: ErrorRule(.quota, "the month's quota is used up", hint: "poll less often, or a larger plan"),
        1011: ErrorRule(
            .rateLimited, "too many requests from this address", hint: ErrorRule.tooMany, isRetryable: true),
    ]

    /// One credit for each hundred markets: with pages of this size, a request costs one credit.
    private static let pageSize = 100

    package func pages(for watch: Watch) -> [PageRequest] {
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
    /// `GET /v3/cryptocurrency/quotes/latest` of named markets, `…/listings/latest` of the largest.
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
                    // Without it, one unknown id fails the whole request.
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
            // Otherwise keyed by id: rows, or lists of rows.
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

        /// The figures in our currency, from a list of currencies or an object keyed by currency.
        private func converted(_ quotes: JSONValue?) -> JSONValue? {
            quotes?.items?.first { $0["symbol"]?.id?.lowercased() == watch.currency.code }
                ?? quotes?.members?.first { $0.name?.ifID?.lowercased() == watch.currency.code }
        }
    }
}
