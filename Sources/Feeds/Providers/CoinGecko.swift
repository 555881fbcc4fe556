import Foundation
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
        .public: ProviderTerms(baseURL: "https://api.coingecko.com/api/v3"),
        .demo: ProviderTerms(
            baseURL: "https://api.coingecko.com/api/v3", keyHeader: "x-cg-demo-api-key", quotaMonth: 10_000,
            every: .seconds(300), pastEvery: .seconds(3)),
        .pro: ProviderTerms(
            baseURL: "https://pro-api.coingecko.com/api/v3", keyHeader: "x-cg-pro-api-key", quotaMonth: 100_000,
            pastEvery: .seconds(1)),
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan) { self.plan = plan }

    package let errors = ProviderErrors(codes: [
        1015: .tooManyRequests,
        1020: .init(.blocked, "the firewall refuses this address", hint: "use a key, or another address"),
        10002: .init(.unauthorized, "the key is missing", hint: "set key_file and plan: demo or plan: pro"),
        10005: .init(
            .forbidden, "the plan does not cover this request", hint: "ask for less, or a larger plan", scope: .request),
        10010: .init(.unauthorized, "a pro key at the public host", hint: "set plan: pro"),
        10011: .init(.unauthorized, "a demo key at the pro host", hint: "set plan: demo"),
        10012: .init(
            .forbidden, "the plan does not reach back that far", hint: "ask for at most 365 days", scope: .request),
        20000: .init(
            .blocked, "the network of this address is refused", hint: "use a key, or an address of another provider"),
    ])

    /// The maximum number of rows of a request.
    private static let pageSize = 250

    package func pages(for watch: Watch) -> [PageRequest] {
        let names = watch.entries.names
        return watch.pages(of: Self.pageSize) {
            MarketsPage(currency: watch.currency, content: $0, names: names)
        }
    }
}

// MARK: Prices

extension CoinGecko {
    /// `GET /coins/markets`: prices of named markets, or of a page of the largest.
    struct MarketsPage: FeedRequest {
        var currency: Currency
        var content: PageRequest.Content
        /// Our market ids by the provider's.
        var names: [String: MarketID]

        var path: String { "/coins/markets" }

        /// By default 100 rows come even if more ids are named, and prices are rounded.
        var query: RequestQuery {
            switch content {
            case .named(let entries):
                [
                    "vs_currency": currency.code, "ids": entries.idList, "per_page": "250",
                    "precision": "full",
                ]
            case .ranked(let page):
                [
                    "vs_currency": currency.code, "order": "market_cap_desc", "page": "\(page)", "per_page": "250",
                    "precision": "full",
                ]
            }
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            try JSONDocument.list(in: body).map(quoteRow)
        }

        private func quoteRow(_ row: JSONValue) -> QuoteRow {
            guard let id = row["id"]?.id, let market = names[id] ?? (try? MarketID(id)) else { return .nameless }
            return .priced(market, row["current_price"], \.numeral, at: row["last_updated"], \.time) {
                Quote(
                    market: market, symbol: row["symbol"]?.text ?? "", name: row["name"]?.text ?? "",
                    currency: currency, price: $0, quotedAt: $1,
                    reportedChange: row["price_change_percentage_24h"]?.percent,
                    volume24h: row["total_volume"]?.double, marketCap: row["market_cap"]?.double)
            }
        }
    }
}

// MARK: Names and ranks

extension CoinGecko {
    /// `GET /coins/list`: every id with symbol and name, about 17,000.
    package struct CoinList: FeedRequest {
        package struct Coin: Sendable, Hashable {
            package var id: String
            package var symbol: String
            package var name: String

            package init(id: String, symbol: String, name: String) {
                self.id = id
                self.symbol = symbol.cut(toBytes: Quote.longestSymbol)
                self.name = name.cut(toBytes: Quote.longestName)
            }
        }

        package var cachePolicy: CachePolicy

        package init(_ cachePolicy: CachePolicy = .cachedIfFresh(.hours(24))) { self.cachePolicy = cachePolicy }
        package var path: String { "/coins/list" }

        package func decode(_ body: Data) throws(UnreadableBody) -> [Coin] {
            try JSONDocument.list(in: body).compactMap { row in
                row["id"]?.id.map { Coin(id: $0, symbol: row["symbol"]?.text ?? "", name: row["name"]?.text ?? "") }
            }
        }
    }

    /// `GET /coins/markets` of at most 250 ids, for their ranks by market cap, from 1.
    package struct Ranks: FeedRequest {
        private let ids: [String]

        package init(of ids: [String]) { self.ids = ids }

        package var path: String { "/coins/markets" }
        package var query: RequestQuery {
            ["vs_currency": "usd", "ids": ids.joined(separator: ","), "per_page": "250"]
        }
        package var cachePolicy: CachePolicy { .cachedIfFresh(.hours(24)) }

        /// By id, without the markets that have no rank.
        package func decode(_ body: Data) throws(UnreadableBody) -> [String: Int] {
            let ranks = try JSONDocument.list(in: body).compactMap { row -> (String, Int)? in
                guard let id = row["id"]?.id, let rank = row["market_cap_rank"]?.numeral?.integer else { return nil }
                return (id, Int(rank))
            }
            return Dictionary(ranks, uniquingKeysWith: { $1 })
        }
    }
}

// MARK: Past prices

extension CoinGecko: PastProvider {
    /// A little less than the day that is answered in steps of 5 minutes.
    private static let recent = Duration.minutes(24 * 60 - 1)
    /// A little less than the 90 days that are answered in steps of an hour.
    private static let longestHourly = Duration.hours(24 * 89)
    private static let reach = Duration.hours(24 * 365 - 1)

    package func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        let recent = now - Self.recent
        let isRecent = stretch.upperBound > recent
        var start = max(stretch.lowerBound, isRecent ? recent : stretch.upperBound - Self.longestHourly)
        if plan != .pro { start = max(start, now - Self.reach) }
        guard start < stretch.upperBound else { return nil }
        // Steps of 5 minutes require a range that ends now.
        let range = start..<(isRecent ? max(now, stretch.upperBound) : stretch.upperBound)
        return PastPage(
            request: ChartRange(id: entry.providerID, currency: currency, range: range, endsNow: isRecent),
            span: start..<stretch.upperBound, step: isRecent ? .minutes(5) : .hours(1))
    }

    /// `GET /coins/{id}/market_chart/range`: steps of 5 minutes for up to a day that ends now, of an hour for up to 90
    /// days; at most a year back without a paid plan.
    struct ChartRange: FeedRequest {
        var id: String
        var currency: Currency
        var range: Range<Date>
        var endsNow: Bool

        var path: String { "/coins/\(id.pathSegment)/market_chart/range" }

        var query: RequestQuery {
            [
                "vs_currency": currency.code,
                "from": "\(Int64(range.lowerBound.timeIntervalSince1970.rounded(.down)))",
                "to": "\(Int64(range.upperBound.timeIntervalSince1970.rounded(.up)))", "precision": "full",
            ]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            typealias Point = (time: Date?, value: DecimalNumeral?)
            // `[1621003519770, 50675.258]`. An unreadable point is nil; the other rows are kept.
            func points(_ list: JSONValue?) -> [Point] {
                list?.items?.map { ($0[0]?.millisecondsTime, $0[1]?.numeral) } ?? []
            }
            let chart = try JSONDocument(body).root
            guard chart["prices"]?.kind == .list else { throw UnreadableBody(misshapen: body, at: "/prices") }
            let (volumes, marketCaps) = (points(chart["total_volumes"]), points(chart["market_caps"]))
            // The last point is the live price, which is left to the polls.
            return points(chart["prices"]).dropLast(endsNow ? 1 : 0).enumerated().compactMap { place, point in
                guard let time = point.time, let price = point.value.flatMap(Price.init) else { return nil }
                func amount(_ list: [Point]) -> Double? {
                    list.indices.contains(place) && list[place].time == time ? list[place].value?.double : nil
                }
                return PastQuote(
                    quotedAt: time, price: price, volume24h: amount(volumes), marketCap: amount(marketCaps))
            }
        }
    }
}
