import Foundation
import Markets

/// Binance spot, market data alone. Facts: github.com/binance/binance-spot-api-docs, `rest-api.md`.
///
/// It quotes pairs, mostly against USDT, which is no dollar: which pair may stand for a market is the owner's to say.
public struct Binance: ListedProvider {
    public static let name = "binance"
    /// It knows no market caps.
    public static let ranksMarkets = false

    /// 6,000 weights a minute for an address, of which a request takes 2 to 40.
    public static let terms: [ProviderPlan: ProviderTerms] = [
        .public: ProviderTerms("https://data-api.binance.vision")
    ]

    public init(plan: ProviderPlan = .public) {}

    public let errorCodes: [Int: ErrorRule] = [
        -1000: ErrorRule(.server, "an unknown fault", isRetryable: true, scope: .request),
        -1001: ErrorRule(.server, "disconnected inside", isRetryable: true, scope: .request),
        -1003: ErrorRule(.rateLimited, "too many requests", cure: ErrorRule.tooMany, isRetryable: true),
        -1006: ErrorRule(.server, "an unexpected answer inside", isRetryable: true, scope: .request),
        -1007: ErrorRule(.timeout, "timed out inside", isRetryable: true, scope: .request),
        -1100: ErrorRule(.notFound, "a symbol cannot be one", cure: "check the ids for binance", scope: .request),
        -1121: ErrorRule(.notFound, "there is no such symbol", cure: "check the ids for binance", scope: .request),
    ]

    public let errorStatuses: [Int: ErrorRule] = [
        418: ErrorRule(.rateLimited, "banned for asking too often", cure: ErrorRule.tooMany, isRetryable: true)
    ]

    public var refusesUnknownNames: Bool { true }

    /// 21 to 100 symbols weigh 40, more of them 80.
    private static let pageSize = 100

    public func pages(for watch: Watch) -> [PageRequest] {
        watch.entries.pages(of: Self.pageSize).map { entries in
            PageRequest(
                DayTickers(currency: watch.currency, symbols: entries.map(\.providerID), names: entries.names),
                .named(entries.map(\.market)))
        }
    }
}

extension Binance {
    /// `GET /api/v3/ticker/24hr`: the last price and the day before it.
    struct DayTickers: FeedRequest {
        typealias Response = QuotePage

        var currency: Currency
        var symbols: [String]
        var names: [String: MarketID]

        var path: RequestPath { "/api/v3/ticker/24hr" }

        /// A JSON list, without blanks.
        var query: [URLQueryItem] {
            let quoted = symbols.map { symbol in
                "\"" + symbol.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
            }
            return [URLQueryItem(name: "symbols", value: "[" + quoted.joined(separator: ",") + "]")]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> QuotePage {
            let answer = try UnreadableBody.reading(body) { try JSONDecoder().decode(Wire.self, from: $0) }
            return QuotePage(rows: answer.rows.map { $0.quoteRow(currency, names) })
        }
    }

    /// A list, or the row itself where one symbol was asked.
    private struct Wire: Decodable {
        var rows: [Row]

        init(from decoder: any Decoder) throws {
            let answer = try decoder.singleValueContainer()
            if let row = try? answer.decode(Whole.self) {
                rows = [row.row]
            } else {
                rows = try answer.decode([Row].self)
            }
        }

        /// Unlike a row in a list, an object must be one.
        private struct Whole: Decodable {
            var row: Row

            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Row.CodingKeys.self).decode(String.self, forKey: .symbol)
                row = try Row(from: decoder)
            }
        }
    }

    /// A row never fails: what cannot be read is nil.
    private struct Row: Decodable {
        var symbol: String?
        var price = WirePrice.absent
        var change: Percent?
        var volume: Double?
        /// Of the last change to the day's figures; a symbol that is traded no more stays at its last.
        var closeTime: Int64?

        enum CodingKeys: String, CodingKey {
            case symbol, closeTime
            case price = "lastPrice"
            case changePercent = "priceChangePercent"
            case volume = "quoteVolume"
        }

        init(from decoder: any Decoder) throws {
            guard let row = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            symbol = row.text(.symbol)
            price = WirePrice(text: row, .price)
            change = row.text(.changePercent).flatMap { Decimal(wholeText: $0) }.flatMap(Percent.init(rounding:))
            volume = row.text(.volume).flatMap { Double($0) }
            closeTime = try? row.decodeIfPresent(Int64.self, forKey: .closeTime)
        }

        func quoteRow(_ currency: Currency, _ names: [String: MarketID]) -> QuoteRow {
            guard let symbol, let market = names[symbol] ?? (try? MarketID(symbol)) else { return .nameless }
            return price.row(market) {
                Quote(
                    market: market, symbol: symbol.lowercased(), name: symbol, currency: currency, price: $0,
                    quotedAt: closeTime.map { Date(milliseconds: $0) }, reportedChange: change, volume24h: volume)
            }
        }
    }
}
