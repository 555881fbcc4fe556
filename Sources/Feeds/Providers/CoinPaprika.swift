import Foundation
import HTTP
import Markets

/// CoinPaprika, API v1. Facts: docs.coinpaprika.com.
package struct CoinPaprika: ListedProvider {
    package static let name = "coinpaprika"
    package static let ranksMarkets = true

    /// Free without a key, for personal use; prices are updated every few minutes.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://api.coinpaprika.com/v1", quotaMonth: 20_000),
        .pro: ProviderTerms("https://api-pro.coinpaprika.com/v1"),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    package func header(for key: Secret) -> (name: String, value: String)? {
        plan == .public ? nil : ("Authorization", key.revealed)
    }

    /// A single market is requested by its id. Several come with the answer for all markets: two requests of one market
    /// each would cost more of the month's quota than one request for all.
    package func pages(for watch: Watch) -> [PageRequest] {
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
            let row = try JSONDocument(body).root
            guard row["id"]?.id == entry.providerID else {
                throw UnreadableBody(
                    reason: "is not about \(SafeText.line(entry.providerID, atMost: 60))", isRetryable: false)
            }
            return QuotePage(rows: [CoinPaprika.quoteRow(row, watch.currency, as: entry.market)])
        }
    }

    /// `GET /tickers`: every active market, about 2,500.
    struct Tickers: FeedRequest {
        typealias Response = QuotePage

        var watch: Watch
        var names: [String: MarketID]

        var path: RequestPath { "/tickers" }
        var query: [URLQueryItem] { [URLQueryItem(name: "quotes", value: watch.currencyInCapitals)] }

        /// Drops unwatched markets while decoding, to save memory.
        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            guard let rows = try JSONDocument(body).root.items else { throw UnreadableBody(misshapen: body, at: "/") }
            var ranked: [(rank: Int64, id: String?, row: JSONValue)] = []
            var named: [(rank: Int64, id: String?, row: JSONValue)] = []
            for row in rows {
                let id = row["id"]?.id
                // 0 means unranked.
                let rank = row["rank"]?.numeral?.integer ?? 0
                if watch.top > 0, rank > 0 { ranked.append((rank, id, row)) }
                if id.map({ names[$0] != nil }) ?? true { named.append((rank, id, row)) }
            }
            ranked.sort { $0.rank < $1.rank }
            let largest = ranked.prefix(watch.top)
            let taken = Set(largest.compactMap(\.id))
            let others = named.filter { $0.id.map { !taken.contains($0) } ?? true }
            return QuotePage(
                rows: (largest + others).map { _, id, row in
                    guard let id, let market = names[id] ?? KnownMarkets.market(called: id, at: name) else {
                        return .nameless
                    }
                    return CoinPaprika.quoteRow(row, watch.currency, as: market)
                })
        }
    }

    private static func quoteRow(_ row: JSONValue, _ currency: Currency, as market: MarketID) -> QuoteRow {
        let quote = row["quotes"]?[currency.code.uppercased()]
        let (price, stated) = (quote?["price"], row["last_updated"])
        let time = stated?.time
        return .priced(market, price, price?.numeral, at: stated, time) {
            Quote(
                market: market, symbol: (row["symbol"]?.text ?? "").lowercased(), name: row["name"]?.text ?? "",
                currency: currency, price: $0, quotedAt: time,
                reportedChange: quote?["percent_change_24h"]?.percent, volume24h: quote?["volume_24h"]?.double,
                marketCap: quote?["market_cap"]?.double)
        }
    }
}
