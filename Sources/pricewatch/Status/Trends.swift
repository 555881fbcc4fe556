import Foundation
import History
import Markets

/// Recent prices of all markets, as sparklines for the rows of a table.
struct Trends {
    /// 24 hours, or less if the history is younger.
    let window: Duration
    private let start: Date
    private var prices: [MarketID: [Double?]] = [:]

    /// The number of pieces of the window.
    static let pieces = 24
    private static let windows: [Duration] = [.minutes(1), .minutes(5), .hours(1), .hours(6), .hours(24)]

    /// - Parameters:
    ///   - oldest: The start of the history.
    ///   - every: The interval between two polls.
    init(oldest: Date?, every: Duration, now: Date) {
        let wanted = max(oldest.map { now.since($0) } ?? .zero, every * Self.pieces)
        window = Self.windows.first { $0 >= wanted } ?? .hours(24)
        if window == .hours(24) {
            // Aligned to hours like candles; the current hour is the last piece.
            start = Date(milliseconds: now.milliseconds / 3_600_000 * 3_600_000) - .hours(Self.pieces - 1)
        } else {
            start = now - window
        }
    }

    /// Keeps the last price added to a piece.
    mutating func add(_ market: MarketID, _ price: Price, quotedAt: Date) {
        guard quotedAt >= start else { return }
        let piece = Int(quotedAt.since(start).inMilliseconds * Int64(Self.pieces) / window.inMilliseconds)
        // The provider's clock may be ahead of ours: a later quote goes into the last piece.
        prices[market, default: Array(repeating: nil, count: Self.pieces)][min(Self.pieces - 1, piece)] = price.double
    }

    /// The newest price of each piece, oldest first, nil where none is known; empty for an unknown market.
    func prices(of market: MarketID) -> [Double?] { prices[market] ?? [] }
}

extension Trends {
    /// The number of polls read, whatever their interval.
    private static let pollsLookedAt = 72

    /// Reads the trends from the history. The read is bounded: a day's hourly candles and `pollsLookedAt` polls.
    init(
        _ reader: HistoryReader, in currencies: MarketCurrencies, oldest: Date?, every: Duration, now: Date
    ) throws(HistoryError) {
        var trends = Trends(oldest: oldest, every: every, now: now)
        var polledSince = trends.start
        if trends.window == .hours(24) {
            try reader.hourlyCandles(in: currencies, since: trends.start, until: now) { market, candle in
                trends.add(market, candle.close, quotedAt: candle.start)
            }
            // Candles are written some minutes after the end of their hour.
            polledSince = now - .hours(2)
        }
        try reader.glance(in: currencies, polledSince: polledSince, polls: Self.pollsLookedAt) {
            trends.add($0, $2, quotedAt: $1)
        }
        self = trends
    }
}

/// A row of prices as one line of characters; a character's height is its price.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let ascii: [Character] = ["_", ".", "-", "~", "^"]
    /// The smallest span of the vertical axis, as a share of the price, so that a stablecoin's noise stays flat.
    private static let leastSpan = 0.002

    /// - Parameters:
    ///   - prices: nil where no price is known, drawn as blank.
    ///   - width: In characters; several prices share a character if there are more prices.
    static func text(_ prices: [Double?], width: Int, utf8: Bool) -> String {
        let shown = newest(prices, in: width)
        let known = shown.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else { return String(repeating: " ", count: width) }
        let span = max(high - low, high * leastSpan)
        let bottom = (low + high - span) / 2
        let levels = utf8 ? blocks : ascii
        return String(
            shown.map { price in
                guard let price else { return " " }
                let share = (price - bottom) / span
                return levels[min(levels.count - 1, max(0, Int(share * Double(levels.count))))]
            })
    }

    /// The newest of the prices that share a character.
    private static func newest(_ prices: [Double?], in width: Int) -> [Double?] {
        guard prices.count > width else { return Array(repeating: nil, count: width - prices.count) + prices }
        return (0..<width).map { place in
            prices[(place * prices.count / width)..<((place + 1) * prices.count / width)].compactMap { $0 }.last
        }
    }
}
