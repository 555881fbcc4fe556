import Foundation
import Markets

/// Binance spot, market data only. Facts: github.com/binance/binance-spot-api-docs, `rest-api.md`.
///
/// It quotes pairs, mostly against USDT, which is not a dollar: the owner decides which pair represents a market.
package struct Binance: ListedProvider {
    package static let name = "binance"
    /// It has no market caps.
    package static let ranksMarkets = false

    /// 6,000 weight units a minute for each IP address; a request takes 2 to 40.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms(baseURL: "https://data-api.binance.vision")
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan = .public) { self.plan = plan }

    package let errors = ProviderErrors(
        codes: [
            -1000: .init(.server, "an unknown fault", isRetryable: true, scope: .request),
            -1001: .init(.server, "disconnected inside", isRetryable: true, scope: .request),
            -1003: .tooManyRequests,
            -1006: .init(.server, "an unexpected answer inside", isRetryable: true, scope: .request),
            -1007: .init(.timeout, "timed out inside", isRetryable: true, scope: .request),
            -1100: .refusedName(.notFound, "a symbol cannot be one", at: name),
            -1121: .refusedName(.notFound, "there is no such symbol", at: name),
        ],
        statuses: [418: .limited("banned for asking too often")])

    package var refusesUnknownNames: Bool { true }

    /// 21 to 100 symbols weigh 40, more than 100 weigh 80.
    package func pages(for watch: Watch) -> [PageRequest] {
        watch.namedPages(of: 100) { DayTickers(currency: watch.currency, entries: $0) }
    }
}

extension Binance {
    /// `GET /api/v3/ticker/24hr`: the last price and the change over 24 hours.
    struct DayTickers: FeedRequest {
        var currency: Currency
        var entries: [Watch.Entry]

        var path: String { "/api/v3/ticker/24hr" }

        /// A JSON list, without spaces.
        var query: RequestQuery {
            ["symbols": "[" + entries.map { JSONString.quoted($0.providerID) }.joined(separator: ",") + "]"]
        }

        /// A list, or the row itself if one symbol was requested.
        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            let answer = try JSONDocument(body).root
            let names = entries.names
            if let rows = answer.items { return rows.map { quoteRow($0, names) } }
            // A single object must be a row, unlike an element of a list.
            guard answer["symbol"]?.text != nil else { throw UnreadableBody(misshapen: body, at: "/symbol") }
            return [quoteRow(answer, names)]
        }

        private func quoteRow(_ row: JSONValue, _ names: [String: MarketID]) -> QuoteRow {
            guard let symbol = row["symbol"]?.id, let market = names[symbol] ?? (try? MarketID(symbol)) else {
                return .nameless
            }
            // The time of the last update of the day's figures; it stops when a symbol is no longer traded.
            return .priced(market, row["lastPrice"], \.numeralInText, at: row["closeTime"], \.millisecondsTime) {
                Quote(
                    market: market, symbol: symbol.lowercased(), name: symbol, currency: currency, price: $0,
                    quotedAt: $1,
                    reportedChange: row["priceChangePercent"]?.numeralInText.flatMap { Percent(rounding: $0) },
                    volume24h: row["quoteVolume"]?.numeralInText?.double)
            }
        }
    }
}

// MARK: Past prices

extension Binance: PastProvider {
    private static let most = 1000
    private static let lengths: [(name: String, length: Duration)] = [
        ("1m", .minutes(1)), ("5m", .minutes(5)), ("1h", .hours(1)),
    ]

    package func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        // The shortest length with which one request covers the range.
        let wanted = stretch.upperBound.since(stretch.lowerBound)
        let fit = Self.lengths.first { $0.length * (Self.most - 1) >= wanted } ?? Self.lengths.last
        guard let (name, length) = fit, wanted > .zero else { return nil }
        let span = max(stretch.lowerBound, stretch.upperBound - length * (Self.most - 1))..<stretch.upperBound
        return PastPage(
            request: Candles(symbol: entry.providerID, interval: name, span: span, length: length, now: now),
            span: span, step: length)
    }

    /// `GET /api/v3/klines`: at most 1,000 candles of a chosen length. Only a candle's close has a known time; open,
    /// high and low are left out.
    struct Candles: FeedRequest {
        var symbol: String
        var interval: String
        var span: Range<Date>
        var length: Duration
        var now: Date

        var path: String { "/api/v3/klines" }

        var query: RequestQuery {
            [
                "symbol": symbol, "interval": interval,
                // The query selects candles by opening time; wanted are those that close within the span.
                "startTime": "\((span.lowerBound - length).milliseconds)",
                "endTime": "\(span.upperBound.milliseconds)", "limit": "\(Binance.most)",
            ]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            try JSONDocument.list(in: body).compactMap(quote).filter { $0.quotedAt < now }
        }

        /// `[openTime, open, high, low, close, volume, closeTime, quoteVolume, trades, …]`. Nil if unreadable, or if
        /// nothing was traded and the close repeats the previous one.
        private func quote(_ row: JSONValue) -> PastQuote? {
            guard let price = row[4]?.numeralInText.flatMap(Price.init), let closeTime = row[6]?.millisecondsTime,
                let trades = row[8]?.numeral?.integer, trades > 0
            else { return nil }
            return PastQuote(quotedAt: closeTime, price: price)
        }
    }
}
