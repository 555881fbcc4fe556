import Foundation
import Markets

/// `GET /0/public/OHLC`: the newest 720 candles of a chosen length, and no older ones, so the length follows from the
/// start of the range. Only a candle's close has a known time.
extension Kraken: PastProvider {
    private static let most = 720
    /// Candle lengths in minutes.
    private static let lengths = [1, 5, 15, 30, 60, 240, 1440]

    package func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        func reach(_ minutes: Int) -> Date { now - .minutes(minutes * (Self.most - 1)) }
        guard let minutes = Self.lengths.first(where: { reach($0) <= stretch.lowerBound }) ?? Self.lengths.last else {
            return nil
        }
        let start = max(stretch.lowerBound, reach(minutes))
        guard start < stretch.upperBound else { return nil }
        return PastPage(
            Candles(pair: entry.providerID, minutes: minutes, since: start, now: now), start..<stretch.upperBound,
            step: .minutes(minutes))
    }

    struct Candles: FeedRequest {
        typealias Response = [PastQuote]

        var pair: String
        var minutes: Int
        var since: Date
        var now: Date

        var path: RequestPath { "/0/public/OHLC" }

        var query: [URLQueryItem] {
            // The answer has candles that open after `since`; the one before the range may close within it.
            let since = Int64((since - .minutes(minutes)).timeIntervalSince1970.rounded(.down))
            return [
                URLQueryItem(name: "pair", value: pair),
                URLQueryItem(name: "interval", value: "\(minutes)"),
                URLQueryItem(name: "since", value: "\(since)"),
            ]
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
