import Foundation
public import Markets

/// CoinGecko, API v3. Facts: its OpenAPI files (github.com/coingecko/coingecko-api-oas) and recorded answers.
public struct CoinGecko: Provider {
    /// Decides host, key header, quota and how often polling makes sense.
    public enum Plan: String, Sendable, CaseIterable {
        /// Without a key; the limit is shared by all who use the same address.
        case `public`
        case demo
        case pro

        public var baseURL: String {
            self == .pro ? "https://pro-api.coingecko.com/api/v3" : "https://api.coingecko.com/api/v3"
        }

        /// Requests a month; nil where the plan has no known number.
        public var quotaMonth: Int? { self == .demo ? 10_000 : nil }

        /// Demo: 300 s leave a tenth of the quota for retries and healing. The others: the answers are cached for
        /// about 60 s, so asking more often brings the same.
        public var every: Duration { self == .demo ? .seconds(300) : .seconds(60) }

        var keyHeader: String? {
            switch self {
            case .public: nil
            case .demo: "x-cg-demo-api-key"
            case .pro: "x-cg-pro-api-key"
            }
        }
    }

    public let plan: Plan

    public init(plan: Plan) { self.plan = plan }

    public func header(for key: Secret) -> (name: String, value: String)? {
        plan.keyHeader.map { ($0, key.revealed) }
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
    /// Bytes of ids in a URL. Servers commonly take request lines of 8 KiB.
    private static let longestIDs = 6000

    public func pages(for watch: Watch) -> [PageRequest] {
        let names = Dictionary(
            watch.entries.map { ($0.providerID, $0.market) }, uniquingKeysWith: { first, _ in first })
        var pages: [PageRequest] = []
        for entries in Self.split(watch.entries) {
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

    private static func split(_ entries: [Watch.Entry]) -> [[Watch.Entry]] {
        var pages: [[Watch.Entry]] = []
        var bytes = 0
        for entry in entries {
            // Every byte outside ASCII takes three.
            let length = entry.providerID.utf8.reduce(1) { $0 + ($1 < 128 ? 1 : 3) }
            if let last = pages.last, last.count < pageSize, bytes + length <= longestIDs {
                pages[pages.count - 1].append(entry)
                bytes += length
            } else {
                pages.append([entry])
                bytes = length
            }
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
            let rows = try UnreadableBody.reading(body) { try JSONDecoder().decode([Row].self, from: $0) }
            return QuotePage(rows: rows.map { $0.quoteRow(currency, names) })
        }
    }

    /// A row never fails: what cannot be read is nil.
    private struct Row: Decodable {
        enum PriceField {
            case value(Decimal)
            case null, absent, unreadable
        }

        var id: String?
        var symbol: String?
        var name: String?
        var price = PriceField.absent
        var lastUpdated: String?
        var change: Percent?
        var volume: Double?
        var marketCap: Double?

        enum CodingKeys: String, CodingKey {
            case id, symbol, name
            case price = "current_price"
            case lastUpdated = "last_updated"
            case changePercent = "price_change_percentage_24h"
            case volume = "total_volume"
            case marketCap = "market_cap"
        }

        init(from decoder: any Decoder) throws {
            guard let row = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            id = try? row.decodeIfPresent(String.self, forKey: .id)
            symbol = try? row.decodeIfPresent(String.self, forKey: .symbol)
            name = try? row.decodeIfPresent(String.self, forKey: .name)
            lastUpdated = try? row.decodeIfPresent(String.self, forKey: .lastUpdated)
            change = Self.change(row)
            volume = try? row.decodeIfPresent(Double.self, forKey: .volume)
            marketCap = try? row.decodeIfPresent(Double.self, forKey: .marketCap)
            do {
                if let decimal = try row.decodeIfPresent(Decimal.self, forKey: .price) {
                    price = .value(decimal)
                } else {
                    price = row.contains(.price) ? .null : .absent
                }
            } catch {
                price = .unreadable
            }
        }

        /// The double decides unless it lies next to a half of a hundredth, which spares a tenth of the decoding.
        private static func change(_ row: KeyedDecodingContainer<CodingKeys>) -> Percent? {
            guard let percent = try? row.decodeIfPresent(Double.self, forKey: .changePercent) else { return nil }
            let hundredths = percent * 100
            if abs(hundredths) < 1e6, abs(abs(hundredths.truncatingRemainder(dividingBy: 1)) - 0.5) > 1e-6 {
                return Percent(hundredths: Int64(hundredths.rounded()))
            }
            return (try? row.decode(Decimal.self, forKey: .changePercent)).flatMap(Percent.init(rounding:))
        }

        func quoteRow(_ currency: Currency, _ names: [String: MarketID]) -> QuoteRow {
            guard let id, let market = names[id] ?? (try? MarketID(id)) else { return .nameless }
            switch price {
            case .null: return .unusable(market, .nullPrice)
            case .absent: return .unusable(market, .absentPrice)
            case .unreadable: return .unusable(market, .badPrice)
            case .value(let decimal):
                guard let price = Price(decimal) else { return .unusable(market, .badPrice) }
                return .quote(
                    Quote(
                        market: market, symbol: symbol ?? "", name: name ?? "", currency: currency, price: price,
                        quotedAt: lastUpdated.flatMap { Date(utcText: $0) },
                        reportedChange: change, volume24h: volume,
                        marketCap: marketCap))
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

            enum CodingKeys: String, CodingKey { case id, symbol, name }

            public init(from decoder: any Decoder) throws {
                let row = try decoder.container(keyedBy: CodingKeys.self)
                id = try row.decode(String.self, forKey: .id)
                symbol = (try? row.decodeIfPresent(String.self, forKey: .symbol)) ?? ""
                name = (try? row.decodeIfPresent(String.self, forKey: .name)) ?? ""
            }
        }

        public typealias Response = [Coin]

        public var cachePolicy: CachePolicy

        public init(cachePolicy: CachePolicy = .cachedIfFresh(.hours(24))) { self.cachePolicy = cachePolicy }
        public var path: RequestPath { "/coins/list" }
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
