internal import Foundation
internal import Markets

/// `/coins/{id}/market_chart` and its range: the past of one market.
struct MarketChart {
    /// CoinGecko chooses it by the length of the span; points lie at multiples of it.
    enum Granularity: Int {
        case fiveMinutes = 300
        case hourly = 3600
        case daily = 86_400

        /// Five minutes for a day back from now, hours for up to 90 days, days beyond.
        init(from: Date, until: Date, now: Date) {
            switch until.timeIntervalSince(from) {
            case ...86_400 where now.timeIntervalSince(from) <= 86_400 + 300: self = .fiveMinutes
            case ...(90 * 86_400): self = .hourly
            default: self = .daily
            }
        }
    }

    let book: PriceBook
    let market: SimulatedMarket
    let currency: VsCurrency
    let precision: NumberText.Precision

    /// Points after `from` and up to `until`; a span that ends now gets a last point at `now`.
    func json(from: Date, until: Date, now: Date) -> String {
        let until = min(until, now)
        let spacing = Granularity(from: from, until: until, now: now)
        let seconds = Double(spacing.rawValue)
        let first = Int64((from.timeIntervalSince1970 / seconds).rounded(.down)) + 1
        let last = Int64((until.timeIntervalSince1970 / seconds).rounded(.down))
        var times: [Date] = []
        if first <= last {
            times = (first...last).map { Date(timeIntervalSince1970: Double($0) * seconds) + jitter($0, spacing) }
                .filter { $0 <= until }
        }
        if until == now, times.last != now { times.append(now) }
        return json(times)
    }

    private func json(_ times: [Date]) -> String {
        var (prices, caps, volumes): ([String], [String], [String]) = ([], [], [])
        for time in times {
            let price = currency.price(book.price(of: market, at: time)) { book.price(of: $0, at: time) }
            let cap = (price?.double ?? 0) * market.supply
            prices.append("[\(time.milliseconds),\(NumberText.price(price, precision))]")
            caps.append("[\(time.milliseconds),\(cap)]")
            volumes.append("[\(time.milliseconds),\(cap / 20)]")
        }
        return #"{"prices":[\#(prices.joined(separator: ","))],"market_caps":[\#(caps.joined(separator: ","))],"#
            + #""total_volumes":[\#(volumes.joined(separator: ","))]}"#
    }

    /// Recorded series are never on the dot, daily ones are. The same point is always late by the same time.
    private func jitter(_ point: Int64, _ spacing: Granularity) -> Duration {
        guard spacing != .daily else { return .zero }
        return .milliseconds(Int(SplitMix64.mixed(UInt64(bitPattern: point)) % 20_000))
    }
}
