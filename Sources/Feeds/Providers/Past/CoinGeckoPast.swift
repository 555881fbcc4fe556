public import Foundation
public import Markets

/// `GET /coins/{id}/market_chart/range`: 5 minutes apart for up to a day that ends now, hours apart for up to 90 days,
/// and no more than a year back without a paid plan.
extension CoinGecko: PastProvider {
    /// A little less than the day up to which it answers in the finest steps.
    private static let recent = Duration.minutes(24 * 60 - 1)
    /// A little less than the 90 days up to which it answers by the hour.
    private static let longestHourly = Duration.hours(24 * 89)
    private static let reach = Duration.hours(24 * 365 - 1)

    public func pastPage(
        of entry: Watch.Entry, in currency: Currency, _ stretch: Range<Date>, now: Date
    ) -> PastPage? {
        let recent = now - Self.recent
        let isRecent = stretch.upperBound > recent
        var start = max(stretch.lowerBound, isRecent ? recent : stretch.upperBound - Self.longestHourly)
        if plan != .pro { start = max(start, now - Self.reach) }
        guard start < stretch.upperBound else { return nil }
        // Only a range that ends now is answered in the finest steps.
        let range = start..<(isRecent ? max(now, stretch.upperBound) : stretch.upperBound)
        return PastPage(
            ChartRange(id: entry.providerID, currency: currency, range: range, endsNow: isRecent),
            start..<stretch.upperBound, step: isRecent ? .minutes(5) : .hours(1))
    }

    struct ChartRange: FeedRequest {
        typealias Response = [PastQuote]

        var id: String
        var currency: Currency
        var range: Range<Date>
        var endsNow: Bool

        var path: RequestPath { "/coins/\(id)/market_chart/range" }

        var query: [URLQueryItem] {
            [
                URLQueryItem(name: "vs_currency", value: currency.code),
                URLQueryItem(name: "from", value: "\(Int64(range.lowerBound.timeIntervalSince1970.rounded(.down)))"),
                URLQueryItem(name: "to", value: "\(Int64(range.upperBound.timeIntervalSince1970.rounded(.up)))"),
                URLQueryItem(name: "precision", value: "full"),
            ]
        }

        func decode(_ body: Data) throws(UnreadableBody) -> [PastQuote] {
            let chart = try UnreadableBody.reading(body) { try JSONDecoder().decode(Chart.self, from: $0) }
            var quotes = chart.quotes
            // The last one is the live price, which belongs to the polls.
            if endsNow, !quotes.isEmpty { quotes.removeLast() }
            return quotes
        }
    }

    private struct Chart: Decodable {
        var prices: [Point]
        var marketCaps: [Amount]
        var volumes: [Amount]

        enum CodingKeys: String, CodingKey {
            case prices
            case marketCaps = "market_caps"
            case volumes = "total_volumes"
        }

        init(from decoder: any Decoder) throws {
            let chart = try decoder.container(keyedBy: CodingKeys.self)
            prices = try chart.decode([Point].self, forKey: .prices)
            marketCaps = (try? chart.decodeIfPresent([Amount].self, forKey: .marketCaps)) ?? []
            volumes = (try? chart.decodeIfPresent([Amount].self, forKey: .volumes)) ?? []
        }

        var quotes: [PastQuote] {
            prices.enumerated().compactMap { place, point in
                guard let time = point.time, let price = point.value.flatMap(Price.init) else { return nil }
                func amount(_ list: [Amount]) -> Double? {
                    list.indices.contains(place) && list[place].time == time ? list[place].value : nil
                }
                return PastQuote(
                    quotedAt: Date(milliseconds: time), price: price, volume24h: amount(volumes),
                    marketCap: amount(marketCaps))
            }
        }
    }

    private typealias Point = TimedNumber<Decimal>
    private typealias Amount = TimedNumber<Double>

    /// `[1621003519770, 50675.258]`. What cannot be read is nil, and its row alone is lost.
    private struct TimedNumber<Number: Decodable>: Decodable {
        var time: Int64?
        var value: Number?

        init(from decoder: any Decoder) throws {
            guard var pair = try? decoder.unkeyedContainer() else { return }
            time = (try? pair.decode(Double.self)).flatMap { Int64(exactly: $0.rounded()) }
            value = try? pair.decode(Number.self)
        }
    }
}
