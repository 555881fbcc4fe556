import Foundation
import Markets

/// CoinPaprika, API v1. Facts: docs.coinpaprika.com.
public struct CoinPaprika: ListedProvider {
    public static let name = "coinpaprika"
    public static let ranksMarkets = true

    /// Free without a key, for personal use; prices are renewed every few minutes.
    public static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://api.coinpaprika.com/v1", quotaMonth: 20_000),
        .pro: ProviderTerms("https://api-pro.coinpaprika.com/v1"),
    ]

    public let plan: ProviderPlan

    public init(plan: ProviderPlan) { self.plan = plan }

    public func header(for key: Secret) -> (name: String, value: String)? {
        plan == .public ? nil : ("Authorization", key.revealed)
    }

    /// One market is asked by its id. More come with all the others: two answers of one market each would cost more of
    /// the month than one answer of all.
    public func pages(for watch: Watch) -> [PageRequest] {
        let names = watch.entries.names
        if watch.top == 0, watch.entries.count == 1, let entry = watch.entries.first {
            return [PageRequest(Ticker(entry: entry, watch: watch), .named([entry.market]))]
        }
        guard watch.top > 0 || !watch.entries.isEmpty else { return [] }
        let content: PageRequest.Content = watch.top > 0 ? .ranked : .named(watch.entries.map(\.market))
        return [PageRequest(Tickers(watch: watch, names: names), content)]
    }
}

extension CoinPaprika {
    /// `GET /tickers/{id}`: one market.
    struct Ticker: FeedRequest {
        typealias Response = QuotePage

        var entry: Watch.Entry
        var watch: Watch

        var path: RequestPath { "/tickers/\(entry.providerID)" }
        var query: [URLQueryItem] { [URLQueryItem(name: "quotes", value: watch.currencyInCapitals)] }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let row = try UnreadableBody.reading(body) { try JSONDecoder().decode(Row.self, from: $0) }
            guard row.id == entry.providerID else {
                throw UnreadableBody(
                    reason: "is not about \(OutsideText.escaped(entry.providerID, limit: 60))", isRetryable: false)
            }
            return QuotePage(rows: [row.quoteRow(watch.currency, as: entry.market)])
        }
    }

    /// `GET /tickers`: every active market, about 2,500.
    struct Tickers: FeedRequest {
        typealias Response = QuotePage

        var watch: Watch
        var names: [String: MarketID]

        var path: RequestPath { "/tickers" }
        var query: [URLQueryItem] { [URLQueryItem(name: "quotes", value: watch.currencyInCapitals)] }

        /// What is not watched is dropped here, lest it be kept in memory.
        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let rows = try UnreadableBody.reading(body) { try JSONDecoder().decode([Row].self, from: $0) }
            let ranked = rows.filter { $0.rank > 0 }.sorted { $0.rank < $1.rank }.prefix(watch.top)
            let rankedIDs = Set(ranked.compactMap(\.id))
            let named = rows.filter { row in row.id.map { names[$0] != nil && !rankedIDs.contains($0) } ?? true }
            return QuotePage(
                rows: (ranked + named).map { row in
                    guard let id = row.id, let market = names[id] ?? KnownMarkets.market(called: id, at: name) else {
                        return .nameless
                    }
                    return row.quoteRow(watch.currency, as: market)
                })
        }
    }

    /// A row never fails: what cannot be read is nil.
    private struct Row: Decodable {
        var id: String?
        var symbol: String?
        var name: String?
        /// 0: none.
        var rank = 0
        var lastUpdated: String?
        var quotes: KeyedDecodingContainer<AnyKey>?

        enum CodingKeys: String, CodingKey {
            case id, symbol, name, rank, quotes
            case lastUpdated = "last_updated"
        }

        enum QuoteKeys: String, CodingKey {
            case price
            case volume = "volume_24h"
            case marketCap = "market_cap"
            case changePercent = "percent_change_24h"
        }

        init(from decoder: any Decoder) throws {
            guard let row = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            id = row.text(.id)
            symbol = row.text(.symbol)
            name = row.text(.name)
            rank = (try? row.decodeIfPresent(Int.self, forKey: .rank)) ?? 0
            lastUpdated = row.text(.lastUpdated)
            quotes = try? row.nestedContainer(keyedBy: AnyKey.self, forKey: .quotes)
        }

        func quoteRow(_ currency: Currency, as market: MarketID) -> QuoteRow {
            let key = AnyKey(currency.code.uppercased())
            guard let quote = try? quotes?.nestedContainer(keyedBy: QuoteKeys.self, forKey: key) else {
                return .unusable(market, .absentPrice)
            }
            return WirePrice(quote, .price).row(market) {
                Quote(
                    market: market, symbol: (symbol ?? "").lowercased(), name: name ?? "", currency: currency,
                    price: $0,
                    quotedAt: lastUpdated.flatMap { Date(utcText: $0) },
                    reportedChange: quote.percent(.changePercent), volume24h: quote.double(.volume),
                    marketCap: quote.double(.marketCap))
            }
        }
    }
}
