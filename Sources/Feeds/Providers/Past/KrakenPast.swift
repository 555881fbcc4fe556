public import Foundation
public import Markets

/// `GET /0/public/OHLC`: the newest 720 candles of a length of ours, and none before them, so that the length follows
/// from how far back the stretch begins. Of a candle the close alone is a price of a known time.
extension Kraken: PastProvider {
    private static let most = 720
    /// In minutes.
    private static let lengths = [1, 5, 15, 30, 60, 240, 1440]

    public func pastPage(
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
            // Candles that open after `since` come, and the one before it may close within the stretch.
            let since = Int64((since - .minutes(minutes)).timeIntervalSince1970.rounded(.down))
            return [
                URLQueryItem(name: "pair", value: pair),
                URLQueryItem(name: "interval", value: "\(minutes)"),
                URLQueryItem(name: "since", value: "\(since)"),
            ]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            let answer = try UnreadableBody.reading(body) { try JSONDecoder().decode(Answer.self, from: $0) }
            // The last candle is still running.
            return answer.rows.compactMap { $0.quote(length: .minutes(minutes)) }.filter { $0.quotedAt <= now }
        }
    }

    /// `{"error": [], "result": {"XXBTZUSD": [[…], …], "last": 1502445600}}`.
    private struct Answer: Decodable {
        var rows: [Row]

        enum CodingKeys: String, CodingKey { case result }

        init(from decoder: any Decoder) throws {
            let result = try decoder.container(keyedBy: CodingKeys.self)
                .nestedContainer(keyedBy: AnyKey.self, forKey: .result)
            let pairs = result.allKeys.filter { $0.stringValue != "last" }
            guard let pair = pairs.first, pairs.count == 1 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: result.codingPath, debugDescription: "not one pair"))
            }
            rows = try result.decode([Row].self, forKey: pair)
        }
    }

    /// `[time, open, high, low, close, vwap, volume, count]`, the time being that of the opening.
    private struct Row: Decodable {
        private var time: Int64?
        private var close: Price?
        private var trades: Int64 = 0

        init(from decoder: any Decoder) throws {
            guard var row = try? decoder.unkeyedContainer() else { return }
            do {
                time = try row.decode(Int64.self)
                for _ in 1...3 { _ = try row.decode(String.self) }
                close = Decimal(wholeText: try row.decode(String.self)).flatMap(Price.init)
                for _ in 1...2 { _ = try row.decode(String.self) }
                trades = try row.decode(Int64.self)
            } catch {
                time = nil
            }
        }

        /// Nil where it cannot be read, or where nothing was traded and the close is only carried over.
        func quote(length: Duration) -> PastQuote? {
            guard let time, let close, trades > 0 else { return nil }
            return PastQuote(quotedAt: Date(milliseconds: time * 1000) + length, price: close)
        }
    }
}
