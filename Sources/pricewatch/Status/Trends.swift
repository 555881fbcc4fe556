import Foundation
import History
import Markets

/// Recent prices of all markets, as sparklines for the rows of a table.
struct Trends {
    /// 24 hours, or less if the history is younger.
    let window: Duration
    private let start: Date
    /// The newest price of each piece, oldest first, nil where none is known.
    private(set) var prices: [MarketID: [Double?]] = [:]

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

    /// `24h`, `5m`
    var windowText: String { window == .hours(24) ? "24h" : window.unitsText }
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
