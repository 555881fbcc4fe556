import Foundation
import Markets

/// `GET /api/v3/klines`: at most 1,000 candles of a chosen length. Only a candle's close has a known time; open, high
/// and low are left out.
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
        guard
            let (name, length) = Self.lengths.first(where: { $0.length * (Self.most - 1) >= wanted })
                ?? Self.lengths.last
        else { return nil }
        let start = max(stretch.lowerBound, stretch.upperBound - length * (Self.most - 1))
        guard start < stretch.upperBound else { return nil }
        let span = start..<stretch.upperBound
        return PastPage(
            Candles(symbol: entry.providerID, interval: name, span: span, length: length, most: Self.most, now: now),
            span, step: length)
    }

    struct Candles: FeedRequest {
        typealias Response = [PastQuote]

        var symbol: String
        var interval: String
        var span: Range<Date>
        var length: Duration
        var most: Int
        var now: Date

        var path: RequestPath { "/api/v3/klines" }

        var query: [URLQueryItem] {
            [
                URLQueryItem(name: "symbol", value: symbol),
                URLQueryItem(name: "interval", value: interval),
                // The query selects candles by opening time; wanted are those that close within the span.
                URLQueryItem(name: "startTime", value: "\((span.lowerBound - length).milliseconds)"),
                URLQueryItem(name: "endTime", value: "\(span.upperBound.milliseconds)"),
                URLQueryItem(name: "limit", value: "\(most)"),
            ]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            guard let rows = try JSONDocument(body).root.items else { throw UnreadableBody(misshapen: body, at: "/") }
            return rows.compactMap(quote).filter { $0.quotedAt < now }
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
