import Foundation
import HTTP
import Markets

/// CoinGecko, API v3. Facts: its OpenAPI files (github.com/coingecko/coingecko-api-oas) and recorded answers.
package struct CoinGecko: ListedProvider {
    package static let name = "coingecko"
    package static let ranksMarkets = true

    /// The keyless limit is shared by all clients of an IP address. Demo: polling every 300 s leaves a tenth of the
    /// quota for retries and backfill. Answers are cached for about 60 s, so shorter intervals bring nothing new. Pro:
    /// the quota of the smallest paid plan. The demo plan was limited to 30 requests a minute, now to 100, the smallest
    /// paid one to 250 at least.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://api.coingecko.com/api/v3"),
        .demo: ProviderTerms(
            "https://api.coingecko.com/api/v3", quotaMonth: 10_000, every: .seconds(300), pastEvery: .seconds(3)),
        .pro: ProviderTerms("https://pro-api.coingecko.com/api/v3", quotaMonth: 100_000, pastEvery: .seconds(1)),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    package func header(for key: Secret) -> (name: String, value: String)? {
        switch plan {
        case .public: nil
        case .demo: ("x-cg-demo-api-key", key.revealed)
        case .pro: ("x-cg-pro-api-key", key.revealed)
        }
    }

    package let errorCodes: [Int: ErrorRule] = [
        1015: ErrorRule(.rateLimited, "too many requests", hint: "poll less often, or use a key", isRetryable: true),
        1020: ErrorRule(.blocked, "the firewall refuses this address", hint: "use a key, or another address"),
        10002: ErrorRule(.unauthorized, "the key is missing", hint: "set key_file and plan: demo or plan: pro"),
        10005: ErrorRule(
            .forbidden, "the plan does not cover this request", hint: "ask for less, or a larger plan", scope: .request),
        10010: ErrorRule(.unauthorized, "a pro key at the public host", hint: "set plan: pro"),
        10011: ErrorRule(.unauthorized, "a demo key at the pro host", hint: "set plan: demo"),
        10012: ErrorRule(
            .forbidden, "the plan does not reach back that far", hint: "ask for at most 365 days", scope: .request),
        20000: ErrorRule(
            .blocked, "the network of this address is refused", hint: "use a key, or an address of another provider"),
    ]

    /// The maximum number of rows of a request.
    private static let pageSize = 250

    package func pages(for watch: Watch) -> [PageRequest] {
        let names = watch.entries.names
        var pages: [PageRequest] = []
        for entries in watch.entries.pages(of: Self.pageSize) {
            let request = MarketsPage(
                currency: watch.currency, selection: .ids(entries.map(\.providerID)), names: names)
            pages.append(PageRequest(request, .named(entries.map(\.market))))
        }
        for first in stride(from: 0, to: watch.top, by: Self.pageSize) {
            let page = first / Self.pageSize + 1
            let request = MarketsPage(currency: watch.currency, selection: .largest(page: page), names: names)
            pages.append(PageRequest(request, .ranked))
        }
        return pages
    }
}

// MARK: Prices

extension CoinGecko {
    /// `GET /coins/markets`: prices of named markets, or of a page of the largest.
    struct MarketsPage: FeedRequest {
        typealias Response = QuotePage

        enum Selection: Sendable {
            case ids([String])
            case largest(page: Int)
        }

        var currency: Currency
        var selection: Selection
        /// Our market ids by the provider's.
        var names: [String: MarketID]

        var path: RequestPath { "/coins/markets" }

        var query: [URLQueryItem] {
            var query = [URLQueryItem(name: "vs_currency", value: currency.code)]
            switch selection {
            case .ids(let ids): query.append(URLQueryItem(name: "ids", value: ids.joined(separator: ",")))
            case .largest(let page):
                query.append(URLQueryItem(name: "order", value: "market_cap_desc"))
                query.append(URLQueryItem(name: "page", value: "\(page)"))
            }
            // By default 100 rows come even if more ids are named, and prices are rounded.
            query.append(URLQueryItem(name: "per_page", value: "250"))
            query.append(URLQueryItem(name: "precision", value: "full"))
            return query
        }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let document = try JSONDocument(body)
            guard let rows = document.root.items else { throw UnreadableBody(misshapen: body, at: "/") }
            return QuotePage(rows: rows.map(quoteRow))
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let id = row["id"]?.id, let market = names[id] ?? (try? MarketID(id)) else { return .nameless }
            let (price, stated) = (row["current_price"], row["last_updated"])
            let time = stated?.time
            return .priced(market, price, price?.numeral, at: stated, time) {
                Quote(
                    market: market, symbol: row["symbol"]?.text ?? "", name: row["name"]?.text ?? "",
                    currency: currency, price: $0, quotedAt: time,
                    reportedChange: row["price_change_percentage_24h"]?.percent,
                    volume24h: row["total_volume"]?.double, marketCap: row["market_cap"]?.double)
            }
        }
    }
}

// MARK: Requests about the provider itself

extension CoinGecko {
    /// `GET /ping`: whether host and key are accepted.
    package struct Ping: FeedRequest {
        package struct Response: Decodable, Sendable, Hashable {
            package var greeting: String

            enum CodingKeys: String, CodingKey { case greeting = "gecko_says" }
        }

        package init() {}
        package var path: RequestPath { "/ping" }
        package var cachePolicy: CachePolicy { .reload }
    }

    /// `GET /simple/supported_vs_currencies`: the currency codes for prices.
    package struct SupportedCurrencies: FeedRequest {
        package typealias Response = [String]

        package init() {}
        package var path: RequestPath { "/simple/supported_vs_currencies" }
        package var cachePolicy: CachePolicy { .cachedIfFresh(.hours(24)) }
    }

    /// `GET /coins/list`: every id with symbol and name, about 17,000.
    package struct CoinList: FeedRequest {
        package struct Coin: Decodable, Sendable, Hashable {
            package var id: String
            package var symbol: String
            package var name: String

            package init(id: String, symbol: String, name: String) {
                self.id = id
                self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
                self.name = name.cut(toBytes: Quote.longestName)
            }

            enum CodingKeys: String, CodingKey { case id, symbol, name }

            package init(from decoder: any Decoder) throws {
                let row = try decoder.container(keyedBy: CodingKeys.self)
                self.init(
                    id: try row.decode(String.self, forKey: .id),
                    symbol: (try? row.decodeIfPresent(String.self, forKey: .symbol)) ?? "",
                    name: (try? row.decodeIfPresent(String.self, forKey: .name)) ?? "")
            }
        }

        package typealias Response = [Coin]

        package func decode(_ body: Data) throws(UnreadableBody) -> [Coin] {
            try UnreadableBody.reading(body) { try JSONDecoder().decode([Coin].self, from: $0) }
                .filter { $0.id.ifID != nil }
        }

        package var cachePolicy: CachePolicy

        package init(cachePolicy: CachePolicy = .cachedIfFresh(.hours(24))) { self.cachePolicy = cachePolicy }
        package var path: RequestPath { "/coins/list" }
    }

    /// `GET /coins/markets` of at most 250 ids, for their ranks by market cap.
    package struct Ranks: FeedRequest {
        package struct Rank: Decodable, Sendable {
            package var id: String
            /// From 1; nil if the market has none.
            package var rank: Int?

            enum CodingKeys: String, CodingKey {
                case id
                case rank = "market_cap_rank"
            }
        }

        package typealias Response = [Rank]

        private let ids: [String]

        package init(of ids: [String]) { self.ids = ids }

        package var path: RequestPath { "/coins/markets" }
        package var query: [URLQueryItem] {
            [
                URLQueryItem(name: "vs_currency", value: "usd"),
                URLQueryItem(name: "ids", value: ids.joined(separator: ",")),
                URLQueryItem(name: "per_page", value: "250"),
            ]
        }
        package var cachePolicy: CachePolicy { .cachedIfFresh(.hours(24)) }
    }

    /// `GET /key`, plan pro only: the plan's limits and the remaining quota.
    package struct KeyUsage: FeedRequest {
        package struct Response: Decodable, Sendable, Hashable {
            package var plan: String?
            package var requestsPerMinute: Int?
            package var requestsPerMonth: Int
            package var remainingThisMonth: Int

            enum CodingKeys: String, CodingKey {
                case plan
                case requestsPerMinute = "rate_limit_request_per_minute"
                case requestsPerMonth = "monthly_call_credit"
                case remainingThisMonth = "current_remaining_monthly_calls"
            }
        }

        package init() {}
        package var path: RequestPath { "/key" }
        package var cachePolicy: CachePolicy { .reload }
    }
}
