import Foundation
import Markets

/// Kraken spot, public market data. Facts: docs.kraken.com and recorded answers.
package struct Kraken: ListedProvider {
    package static let name = "kraken"
    /// It has no market caps.
    package static let ranksMarkets = false

    /// About one request a second for each IP address.
    package static let terms: [ProviderPlan: ProviderTerms] = [.public: ProviderTerms("https://api.kraken.com")]

    package init(plan: ProviderPlan = .public) {}

    package var errorTexts: [(beginning: String, rule: ErrorRule)] {
        [
            ("EQuery:Unknown asset", ErrorRule(.notFound, "there is no such pair", hint: check, scope: .request)),
            (
                "EGeneral:Invalid arguments",
                ErrorRule(.badRequest, "a pair cannot be one", hint: check, scope: .request)
            ),
            ("EAPI:Rate limit", ErrorRule(.rateLimited, "too many requests", hint: tooMany, isRetryable: true)),
            (
                "EGeneral:Too many requests",
                ErrorRule(.rateLimited, "too many requests", hint: tooMany, isRetryable: true)
            ),
            ("EGeneral:Temporary lockout", ErrorRule(.rateLimited, "locked out for a while", isRetryable: true)),
            ("EGeneral:Permission denied", ErrorRule(.forbidden, "access denied")),
            ("EService:", ErrorRule(.server, "the service is not available", isRetryable: true)),
            ("EGeneral:Internal error", ErrorRule(.server, "the server has a fault", isRetryable: true)),
        ]
    }

    private var check: String { "check the ids for kraken" }
    private var tooMany: String { ErrorRule.tooMany }

    package var refusesUnknownNames: Bool { true }

    private static let pageSize = 100

    package func pages(for watch: Watch) -> [PageRequest] {
        watch.entries.pages(of: Self.pageSize).map { entries in
            PageRequest(Ticker(currency: watch.currency, entries: entries), .named(entries.map(\.market)))
        }
    }
}

extension Kraken {
    /// `GET /0/public/Ticker`: the last trade of each pair, and its day.
    struct Ticker: FeedRequest {
        typealias Response = QuotePage

        var currency: Currency
        var entries: [Watch.Entry]

        var path: RequestPath { "/0/public/Ticker" }
        var query: [URLQueryItem] {
            [URLQueryItem(name: "pair", value: entries.map(\.providerID).joined(separator: ","))]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            guard let rows = try JSONDocument(body).root["result"]?.members else {
                throw UnreadableBody(misshapen: body, at: "/result")
            }
            let asked = Dictionary(
                entries.map { (PairName.plain($0.providerID), $0.market) }, uniquingKeysWith: { first, _ in first })
            return QuotePage(
                rows: rows.map { row in
                    guard let pair = row.name?.ifID else { return .nameless }
                    let name = PairName.plain(pair)
                    guard let market = asked[name] ?? (try? MarketID(name)) else { return .nameless }
                    return quoteRow(row, pair, as: market)
                })
        }

        /// The answer has no time; its opening price is today's, not that of 24 hours ago.
        private func quoteRow(_ row: JSONValue, _ pair: String, as market: MarketID) -> QuoteRow {
            // The last trade: price, amount.
            let last = row["c"]
            return .priced(market, last, last?[0]?.numeralInText, at: nil, nil) {
                // Volume and average price: today's, then of the last 24 hours. Their product is the volume in the
                // quote currency.
                let (amount, average) = (row["v"]?[1]?.numeralInText?.double, row["p"]?[1]?.numeralInText?.double)
                return Quote(
                    market: market, symbol: pair.lowercased(), name: pair, currency: currency, price: $0, quotedAt: nil,
                    volume24h: amount.flatMap { amount in average.map { amount * $0 } })
            }
        }
    }

    /// A pair has several names: `XBTUSD` in the request, `XXBTZUSD` in the answer, `BTC/USD` in the newer form.
    enum PairName {
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
