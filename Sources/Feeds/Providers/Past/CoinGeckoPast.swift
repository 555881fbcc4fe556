import Foundation
import Markets

/// `GET /coins/{id}/market_chart/range`: steps of 5 minutes for up to a day that ends now, of an hour for up to 90
/// days; at most a year back without a paid plan.
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
            let chart = try JSONDocument(body).root
            guard let prices = chart["prices"]?.items else { throw UnreadableBody(misshapen: body, at: "/prices") }
            // The last point is the live price, which is left to the polls.
            let points = prices.map(Point.init).dropLast(endsNow ? 1 : 0)
            let (volumes, marketCaps) = (Self.points(chart["total_volumes"]), Self.points(chart["market_caps"]))
            return points.enumerated().compactMap { place, point -> PastQuote? in
                guard let time = point.time, let price = point.value.flatMap(Price.init) else { return nil }
                func amount(_ list: [Point]) -> Double? {
                    list.indices.contains(place) && list[place].time == time ? list[place].value?.double : nil
                }
                return PastQuote(
                    quotedAt: time, price: price, volume24h: amount(volumes),
                    marketCap: amount(marketCaps))
            }
        }

        private static func points(_ list: JSONValue?) -> [Point] { list?.items?.map(Point.init) ?? [] }
    }

    /// `[1621003519770, 50675.258]`. An unreadable point is nil; the other rows are kept.
    private struct Point {
        var time: Date?
        var value: DecimalNumeral?

        init(_ pair: JSONValue) {
            time = pair[0]?.millisecondsTime
            value = pair[1]?.numeral
        }
    }
}
