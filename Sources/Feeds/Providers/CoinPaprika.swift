import Foundation
import Markets

/// CoinPaprika, API v1. Facts: docs.coinpaprika.com.
package struct CoinPaprika: ListedProvider {
    package static let name = "coinpaprika"
    package static let ranksMarkets = true

    /// Free without a key, for personal use; prices are updated every few minutes.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms(baseURL: "https://api.coinpaprika.com/v1", quotaMonth: 20_000),
        .pro: ProviderTerms(baseURL: "https://api-pro.coinpaprika.com/v1", keyHeader: "Authorization"),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    /// A single market is requested by its id. Several come with the answer for all markets: two requests of one market
    /// each would cost more of the month's quota than one request for all.
    package func pages(for watch: Watch) -> [PageRequest] {
        if watch.top == 0, watch.entries.count == 1 {
            return watch.namedPages(of: 1) { Ticker(entry: $0[0], currency: watch.currency) }
        }
        let all = PageRequest(
            request: Tickers(watch: watch, names: watch.entries.names),
            content: watch.top > 0 ? .ranked(page: 1) : .named(watch.entries))
        return watch.isEmpty ? [] : [all]
    }
}

extension CoinPaprika {
    /// `GET /tickers/{id}`: one market.
    struct Ticker: FeedRequest {
        var entry: Watch.Entry
        var currency: Currency

        var path: String { "/tickers/" + entry.providerID.pathSegment }
        var query: RequestQuery { ["quotes": currency.code.uppercased()] }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            let row = try JSONDocument(body).root
            guard row["id"]?.id == entry.providerID else {
                throw UnreadableBody(reason: "is not about \(SafeText.line(entry.providerID, atMost: 60))")
            }
            return [CoinPaprika.quoteRow(row, currency, as: entry.market)]
        }
    }

    /// `GET /tickers`: every active market, about 2,500.
    struct Tickers: FeedRequest {
        var watch: Watch
        var names: [String: MarketID]

        var path: String { "/tickers" }
        var query: RequestQuery { ["quotes": watch.currency.code.uppercased()] }

        /// Drops unwatched markets while decoding, to save memory.
        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            var ranked: [(rank: Int64, id: String?, row: JSONValue)] = []
            var others: [(rank: Int64, id: String?, row: JSONValue)] = []
            for row in try JSONDocument.list(in: body) {
                let id = row["id"]?.id
                // 0 means unranked.
                let rank = row["rank"]?.numeral?.integer ?? 0
                if watch.top > 0, rank > 0 {
                    ranked.append((rank, id, row))
                } else if isNamed(id) {
                    others.append((rank, id, row))
                }
            }
            ranked.sort { $0.rank < $1.rank }
            others += ranked.dropFirst(watch.top).filter { isNamed($0.id) }
            return (ranked.prefix(watch.top) + others).map { _, id, row in
                guard let id, let market = names[id] ?? KnownMarkets.market(called: id, at: name) else {
                    return .nameless
                }
                return CoinPaprika.quoteRow(row, watch.currency, as: market)
            }
        }

        /// A row without an id is kept, so that a change of the format is noticed.
        private func isNamed(_ id: String?) -> Bool { id.map { names[$0] != nil } ?? true }
    }

    private static func quoteRow(_ row: JSONValue, _ currency: Currency, as market: MarketID) -> QuoteRow {
        let quote = row["quotes"]?[currency.code.uppercased()]
        return .priced(market, quote?["price"], \.numeral, at: row["last_updated"], \.time) {
            Quote(
                market: market, symbol: (row["symbol"]?.text ?? "").lowercased(), name: row["name"]?.text ?? "",
                currency: currency, price: $0, quotedAt: $1,
                reportedChange: quote?["percent_change_24h"]?.percent, volume24h: quote?["volume_24h"]?.double,
                marketCap: quote?["market_cap"]?.double)
        }
    }
}
