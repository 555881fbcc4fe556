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
            let answer = try UnreadableBody.reading(body) { try JSONDecoder().decode(Wire.self, from: $0) }
            return QuotePage(rows: answer.rows.map { $0.quoteRow(watch.currency, names) })
        }
    }

    private struct Wire: Decodable {
        /// A list, or an object keyed by id, of rows or of lists of them.
        var rows: [Row]

        enum CodingKeys: String, CodingKey { case data }

        init(from decoder: any Decoder) throws {
            let answer = try decoder.container(keyedBy: CodingKeys.self)
            if let list = try? answer.decode([Row].self, forKey: .data) {
                rows = list
                return
            }
            let keyed = try answer.nestedContainer(keyedBy: AnyKey.self, forKey: .data)
            rows = []
            for key in keyed.allKeys {
                if let list = try? keyed.decode([Row].self, forKey: key) {
                    rows += list
                } else {
                    rows.append(try keyed.decode(Row.self, forKey: key))
                }
            }
        }
    }

    /// A row never fails: what cannot be read is nil.
    private struct Row: Decodable {
        var id: Int?
        var symbol: String?
        var name: String?
        var lastUpdated: String?
        private var quotes: [Converted] = []

        enum CodingKeys: String, CodingKey {
            case id, symbol, name, quote
            case lastUpdated = "last_updated"
        }

        init(from decoder: any Decoder) throws {
            guard let row = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            id = (try? row.decode(Int.self, forKey: .id)) ?? row.text(.id).flatMap { Int($0) }
            symbol = row.text(.symbol)
            name = row.text(.name)
            lastUpdated = row.text(.lastUpdated)
            if let list = try? row.decode([Converted].self, forKey: .quote) {
                quotes = list
            } else if let keyed = try? row.nestedContainer(keyedBy: AnyKey.self, forKey: .quote) {
                quotes = keyed.allKeys.compactMap { key in
                    guard var quote = try? keyed.decode(Converted.self, forKey: key) else { return nil }
                    quote.currency = key.stringValue
                    return quote
                }
            }
        }

        func quoteRow(_ currency: Currency, _ names: [String: MarketID]) -> QuoteRow {
            guard let id, let market = names["\(id)"] ?? KnownMarkets.market(called: "\(id)", at: CoinMarketCap.name)
            else { return .nameless }
            guard let quote = quotes.first(where: { $0.currency?.lowercased() == currency.code }) else {
                return .unusable(market, .absentPrice)
            }
            return quote.price.row(market) {
                Quote(
                    market: market, symbol: (symbol ?? "").lowercased(), name: name ?? "", currency: currency,
                    price: $0,
                    quotedAt: (quote.lastUpdated ?? lastUpdated).flatMap { Date(utcText: $0) },
                    reportedChange: quote.change, volume24h: quote.volume, marketCap: quote.marketCap)
            }
        }
    }

    private struct Converted: Decodable {
        var currency: String?
        var price: WirePrice
        var volume: Double?
        var marketCap: Double?
        var change: Percent?
        var lastUpdated: String?

        enum CodingKeys: String, CodingKey {
            case price
            case currency = "symbol"
            case volume = "volume_24h"
            case marketCap = "market_cap"
            case changePercent = "percent_change_24h"
            case lastUpdated = "last_updated"
        }

        init(from decoder: any Decoder) throws {
            let quote = try decoder.container(keyedBy: CodingKeys.self)
            currency = quote.text(.currency)
            price = WirePrice(quote, .price)
            volume = quote.double(.volume)
            marketCap = quote.double(.marketCap)
            change = quote.percent(.changePercent)
            lastUpdated = quote.text(.lastUpdated)
        }
    }
}
