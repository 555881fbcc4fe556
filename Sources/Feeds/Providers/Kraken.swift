import Foundation
import Markets

/// Kraken spot, public market data. Facts: docs.kraken.com and recorded answers.
package struct Kraken: ListedProvider {
    package static let name = "kraken"
    /// It has no market caps.
    package static let ranksMarkets = false

    /// About one request a second for each IP address.
    package static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms(baseURL: "https://api.kraken.com")
    ]

    package let plan: ProviderPlan

    package init(plan: ProviderPlan = .public) { self.plan = plan }

    package let errors = ProviderErrors(texts: [
        ("EQuery:Unknown asset", .refusedName(.notFound, "there is no such pair", at: name)),
        ("EGeneral:Invalid arguments", .refusedName(.badRequest, "a pair cannot be one", at: name)),
        ("EAPI:Rate limit", .tooManyRequests),
        ("EGeneral:Too many requests", .tooManyRequests),
        ("EGeneral:Temporary lockout", .init(.rateLimited, "locked out for a while", isRetryable: true)),
        ("EGeneral:Permission denied", .init(.forbidden, "access denied")),
        ("EService:", .init(.server, "the service is not available", isRetryable: true)),
        ("EGeneral:Internal error", .init(.server, "the server has a fault", isRetryable: true)),
    ])

    package var refusesUnknownNames: Bool { true }

    package func pages(for watch: Watch) -> [PageRequest] {
        watch.namedPages(of: 100) { Ticker(currency: watch.currency, entries: $0) }
    }
}

extension Kraken {
    /// `GET /0/public/Ticker`: the last trade of each pair, and its day.
    struct Ticker: FeedRequest {
        var currency: Currency
        var entries: [Watch.Entry]

        var path: String { "/0/public/Ticker" }
        var query: RequestQuery { ["pair": entries.idList] }

        func decode(_ body: Data) throws(UnreadableBody) -> [QuoteRow] {
            guard let rows = try JSONDocument(body).root["result"]?.members else {
                throw UnreadableBody(misshapen: body, at: "/result")
            }
            let asked = Dictionary(
                entries.map { (Self.plain($0.providerID), $0.market) }, uniquingKeysWith: { first, _ in first })
            return rows.map { row in
                guard let pair = row.name?.ifID else { return .nameless }
                let name = Self.plain(pair)
                guard let market = asked[name] ?? (try? MarketID(name)) else { return .nameless }
                return quoteRow(row, pair, as: market)
            }
        }

        /// The answer has no time; its opening price is today's, not that of 24 hours ago.
        private func quoteRow(_ row: JSONValue, _ pair: String, as market: MarketID) -> QuoteRow {
            // The last trade: price, amount.
            .priced(market, row["c"], \.[0]?.numeralInText) { price, _ in
                // Volume and average price: today's, then of the last 24 hours. Their product is the volume in the
                // quote currency.
                let (amount, average) = (row["v"]?[1]?.numeralInText?.double, row["p"]?[1]?.numeralInText?.double)
                return Quote(
                    market: market, symbol: pair.lowercased(), name: pair, currency: currency, price: price,
                    quotedAt: nil, volume24h: amount.flatMap { amount in average.map { amount * $0 } })
            }
        }

        /// A pair has several names: `XBTUSD` in the request, `XXBTZUSD` in the answer, `BTC/USD` in the newer form.
        static func plain(_ pair: String) -> String {
            var pair = pair.uppercased()
            let letters = Array(pair)
            if letters.count == 8, letters[0] == "X", letters[4] == "Z" || letters[4] == "X" {
                // The oldest assets have a class letter before their three letters: X for coins, Z for fiat.
                pair = String(letters[1...3] + letters[5...])
            }
            pair = pair.replacingBytes(of: ["/"], with: "")
            for (own, common) in [("XBT", "BTC"), ("XDG", "DOGE")] {
                if pair.hasPrefix(own) { pair = common + pair.dropFirst(own.count) }
                if pair.hasSuffix(own) { pair = pair.dropLast(own.count) + common }
            }
            return pair
        }
    }
}

// MARK: Past prices

extension Kraken: PastProvider {
    private static let most = 720
    /// Candle lengths in minutes.
    private static let lengths = [1, 5, 15, 30, 60, 240, 1440]

    /// The length of the candles follows from the start of the range.
    package func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        func reach(_ minutes: Int) -> Date { now - .minutes(minutes * (Self.most - 1)) }
        let minutes = Self.lengths.first { reach($0) <= stretch.lowerBound } ?? 1440
        let start = max(stretch.lowerBound, reach(minutes))
        guard start < stretch.upperBound else { return nil }
        return PastPage(
            request: Candles(pair: entry.providerID, minutes: minutes, since: start, now: now),
            span: start..<stretch.upperBound, step: .minutes(minutes))
    }

    /// `GET /0/public/OHLC`: the newest 720 candles of a chosen length, and no older ones. Only a candle's close has a
    /// known time.
    struct Candles: FeedRequest {
        var pair: String
        var minutes: Int
        var since: Date
        var now: Date

        var path: String { "/0/public/OHLC" }

        var query: RequestQuery {
            // The answer has candles that open after `since`; the one before the range may close within it.
            let since = Int64((since - .minutes(minutes)).timeIntervalSince1970.rounded(.down))
            return ["pair": pair, "interval": "\(minutes)", "since": "\(since)"]
        }

        /// `{"error": [], "result": {"XXBTZUSD": [[…], …], "last": 1502445600}}`.
        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            let pairs = try JSONDocument(body).root["result"]?.members?.filter { $0.name != "last" } ?? []
            guard pairs.count == 1, let rows = pairs[0].items else {
                throw UnreadableBody(misshapen: body, at: "/result")
            }
            // The last candle is still open.
            return rows.compactMap(quote).filter { $0.quotedAt <= now }
        }

        /// `[time, open, high, low, close, vwap, volume, count]`, with `time` at the opening. Nil if unreadable, or if
        /// nothing was traded and the close repeats the previous one.
        private func quote(_ row: JSONValue) -> PastQuote? {
            guard let time = row[0]?.secondsTime, let price = row[4]?.numeralInText.flatMap(Price.init),
                let trades = row[7]?.numeral?.integer, trades > 0
            else { return nil }
            return PastQuote(quotedAt: time + .minutes(minutes), price: price)
        }
    }
}
