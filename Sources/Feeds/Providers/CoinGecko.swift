import Foundation
import Markets

/// CoinGecko, API v3. Facts: its OpenAPI files (github.com/coingecko/coingecko-api-oas) and recorded answers.
public struct CoinGecko: ListedProvider {
    public static let name = "coingecko"
    public static let ranksMarkets = true

    /// The keyless limit is shared by all who use the same address. Demo: 300 s leave a tenth of the quota for retries
    /// and healing. Answers are cached for about 60 s, so asking more often brings the same. Pro: the smallest.
    /// The demo plan was held to 30 requests a minute, now to 100, the smallest paid one to 250 at least.
    public static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://api.coingecko.com/api/v3"),
        .demo: ProviderTerms(
            "https://api.coingecko.com/api/v3", quotaMonth: 10_000, every: .seconds(300), pastEvery: .seconds(3)),
        .pro: ProviderTerms("https://pro-api.coingecko.com/api/v3", quotaMonth: 100_000, pastEvery: .seconds(1)),
    ]

    public let plan: ProviderPlan

    public init(plan: ProviderPlan) { self.plan = plan }

    public func header(for key: Secret) -> (name: String, value: String)? {
        switch plan {
        case .public: nil
        case .demo: ("x-cg-demo-api-key", key.revealed)
        case .pro: ("x-cg-pro-api-key", key.revealed)
        }
    }

    public let errorCodes: [Int: ErrorRule] = [
        1015: ErrorRule(.rateLimited, "too many requests", cure: "poll less often, or use a key", isRetryable: true),
        1020: ErrorRule(.blocked, "the firewall refuses this address", cure: "use a key, or another address"),
        10002: ErrorRule(.unauthorized, "the key is missing", cure: "set key_file and plan: demo or plan: pro"),
        10005: ErrorRule(
            .forbidden, "the plan does not cover this request", cure: "ask for less, or a larger plan", scope: .request),
        10010: ErrorRule(.unauthorized, "a pro key at the public host", cure: "set plan: pro"),
        10011: ErrorRule(.unauthorized, "a demo key at the pro host", cure: "set plan: demo"),
        10012: ErrorRule(
            .forbidden, "the plan does not reach back that far", cure: "ask for at most 365 days", scope: .request),
        20000: ErrorRule(
            .blocked, "the network of this address is refused", cure: "use a key, or an address of another provider"),
    ]

    /// Rows a request may ask for.
    private static let pageSize = 250

    public func pages(for watch: Watch) -> [PageRequest] {
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
    /// `GET /coins/markets`: prices of the markets named, or of a page of the largest.
    struct MarketsPage: FeedRequest {
        typealias Response = QuotePage

        enum Selection: Sendable {
            case ids([String])
            case largest(page: Int)
        }

        var currency: Currency
        var selection: Selection
        /// Our names for the provider's ids.
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
            // 100 rows come by default, also when more ids are named; prices are rounded by default.
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

// MARK: Questions about the provider itself

extension CoinGecko {
    /// `GET /ping`: whether host and key are accepted.
    public struct Ping: FeedRequest {
        public struct Response: Decodable, Sendable, Hashable {
            public var greeting: String

            enum CodingKeys: String, CodingKey { case greeting = "gecko_says" }
        }

        public init() {}
        public var path: RequestPath { "/ping" }
        public var cachePolicy: CachePolicy { .reload }
    }

    /// `GET /simple/supported_vs_currencies`: the codes prices can be asked in.
    public struct SupportedCurrencies: FeedRequest {
        public typealias Response = [String]

        public init() {}
        public var path: RequestPath { "/simple/supported_vs_currencies" }
        public var cachePolicy: CachePolicy { .cachedIfFresh(.hours(24)) }
    }

    /// `GET /coins/list`: every id with symbol and name, about 17,000.
    public struct CoinList: FeedRequest {
        public struct Coin: Decodable, Sendable, Hashable {
            public var id: String
            public var symbol: String
            public var name: String

            public init(id: String, symbol: String, name: String) {
                self.id = id
                self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
                self.name = name.cut(toBytes: Quote.longestName)
            }

            enum CodingKeys: String, CodingKey { case id, symbol, name }

            public init(from decoder: any Decoder) throws {
                let row = try decoder.container(keyedBy: CodingKeys.self)
                self.init(
                    id: try row.decode(String.self, forKey: .id),
                    symbol: (try? row.decodeIfPresent(String.self, forKey: .symbol)) ?? "",
                    name: (try? row.decodeIfPresent(String.self, forKey: .name)) ?? "")
            }
        }

        public typealias Response = [Coin]

        public func decode(_ body: Data) throws(UnreadableBody) -> [Coin] {
            try UnreadableBody.reading(body) { try JSONDecoder().decode([Coin].self, from: $0) }
                .filter { $0.id.ifID != nil }
        }

        public var cachePolicy: CachePolicy

        public init(cachePolicy: CachePolicy = .cachedIfFresh(.hours(24))) { self.cachePolicy = cachePolicy }
        public var path: RequestPath { "/coins/list" }
    }

    /// `GET /coins/markets` of at most 250 ids, for their places by market cap.
    public struct Ranks: FeedRequest {
        public struct Rank: Decodable, Sendable {
            public var id: String
            /// From 1; nil where it has none.
            public var rank: Int?

            enum CodingKeys: String, CodingKey {
                case id
                case rank = "market_cap_rank"
            }
        }

        public typealias Response = [Rank]

        private let ids: [String]

        public init(of ids: [String]) { self.ids = ids }

        public var path: RequestPath { "/coins/markets" }
        public var query: [URLQueryItem] {
            [
                URLQueryItem(name: "vs_currency", value: "usd"),
                URLQueryItem(name: "ids", value: ids.joined(separator: ",")),
                URLQueryItem(name: "per_page", value: "250"),
            ]
        }
        public var cachePolicy: CachePolicy { .cachedIfFresh(.hours(24)) }
    }

    /// `GET /key`, plan pro only: what the plan allows and what is left of it.
    public struct KeyUsage: FeedRequest {
        public struct Response: Decodable, Sendable, Hashable {
            public var plan: String?
            public var requestsPerMinute: Int?
            public var requestsPerMonth: Int
            public var remainingThisMonth: Int

            enum CodingKeys: String, CodingKey {
                case plan
                case requestsPerMinute = "rate_limit_request_per_minute"
                case requestsPerMonth = "monthly_call_credit"
                case remainingThisMonth = "current_remaining_monthly_calls"
            }
        }

        public init() {}
        public var path: RequestPath { "/key" }
        public var cachePolicy: CachePolicy { .reload }
    }
}
