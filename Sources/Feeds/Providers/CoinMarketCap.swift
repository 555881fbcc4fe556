import Foundation
import Markets

/// CoinMarketCap, API v3. Facts: coinmarketcap.com/api/documentation.
package struct CoinMarketCap: ListedProvider {
    package static let name = "coinmarketcap"
    package static let ranksMarkets = true

    /// Without a key the same paths are below `/public-api`; its quota is not known. Demo is the plan Basic.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms(baseURL: "https://pro-api.coinmarketcap.com/public-api"),
        .demo: ProviderTerms(
            baseURL: "https://pro-api.coinmarketcap.com", keyHeader: "X-CMC_PRO_API_KEY", quotaMonth: 15_000,
            every: .seconds(300)),
        .pro: ProviderTerms(baseURL: "https://pro-api.coinmarketcap.com", keyHeader: "X-CMC_PRO_API_KEY"),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    package let errors = ProviderErrors(codes: [
        1001: .init(.unauthorized, "the key is not valid", hint: "check key_file"),
        1002: .init(.unauthorized, "the key is missing", hint: "set key_file and plan: demo or plan: pro"),
        1003: .init(.forbidden, "the plan is not active", hint: "activate it at coinmarketcap.com"),
        1004: .init(.forbidden, "the plan is not paid", hint: "pay it at coinmarketcap.com"),
        1005: .init(.forbidden, "the address needs a key", hint: "set key_file and plan: demo or plan: pro"),
        1006: .init(.forbidden, "the plan does not cover this request", hint: "ask for less, or a larger plan"),
        1007: .init(.forbidden, "the key is disabled", hint: "write to coinmarketcap.com"),
        1008: .limited("too many requests a minute"),
        1009: .init(.quota, "the day's quota is used up", hint: "poll less often, or a larger plan"),
        1010: .init(.quota, "the month's quota is used up", hint: "poll less often, or a larger plan"),
        1011: .limited("too many requests from this address"),
    ])

    /// One credit for each hundred markets: with pages of this size, a request costs one credit.
    private static let pageSize = 100

    package func pages(for watch: Watch) -> [PageRequest] {
        let names = watch.entries.names
        return watch.pages(of: Self.pageSize) { Latest(currency: watch.currency, content: $0, names: names) }
    }
}

extension CoinMarketCap {
    /// `GET /v3/cryptocurrency/quotes/latest` of named markets, `…/listings/latest` of the largest.
    struct Latest: FeedRequest {
        var currency: Currency
        var content: PageRequest.Content
        var names: [String: MarketID]

        var path: String {
            switch content {
            case .named: "/v3/cryptocurrency/quotes/latest"
            case .ranked: "/v3/cryptocurrency/listings/latest"
            }
        }

        var query: RequestQuery {
            let convert = currency.code.uppercased()
            switch content {
            case .named(let entries):
                // Without `skip_invalid`, one unknown id fails the whole request.
                return ["id": entries.idList, "skip_invalid": "true", "convert": convert]
            case .ranked(let page):
                let first = (page - 1) * CoinMarketCap.pageSize + 1
                return ["start": "\(first)", "limit": "\(CoinMarketCap.pageSize)", "convert": convert]
            }
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            let data = try JSONDocument(body).root["data"]
            if let list = data?.items { return list.map(quoteRow) }
            // Otherwise keyed by id: rows, or lists of rows.
            guard let keyed = data?.members else { throw UnreadableBody(misshapen: body, at: "/data") }
            return keyed.flatMap { $0.items?.map(quoteRow) ?? [quoteRow($0)] }
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let id = row["id"]?.figure?.integer,
                let market = names["\(id)"] ?? KnownMarkets.market(called: "\(id)", at: CoinMarketCap.name)
            else { return .nameless }
            let quote = converted(row["quote"])
            let stated = quote?["last_updated"].flatMap { $0.isNull ? nil : $0 } ?? row["last_updated"]
            return .priced(market, quote?["price"], \.numeral, at: stated, \.time) {
                Quote(
                    market: market, symbol: (row["symbol"]?.text ?? "").lowercased(), name: row["name"]?.text ?? "",
                    currency: currency, price: $0, quotedAt: $1,
                    reportedChange: quote?["percent_change_24h"]?.percent, volume24h: quote?["volume_24h"]?.double,
                    marketCap: quote?["market_cap"]?.double)
            }
        }

        /// The figures in our currency, from a list of currencies or an object keyed by currency.
        private func converted(_ quotes: JSONValue?) -> JSONValue? {
            quotes?.items?.first { $0["symbol"]?.id?.lowercased() == currency.code }
                ?? quotes?.members?.first { $0.name?.ifID?.lowercased() == currency.code }
        }
    }
}
