import Foundation
import History
import Markets

/// How the prices of all markets went of late, at a glance: what a line of a table has room for.
struct Trends {
    /// A day, or less while the history is young.
    let window: Duration
    private let start: Date
    private var prices: [MarketID: [Double?]] = [:]

    /// Into so many pieces the window is cut.
    static let pieces = 24
    private static let windows: [Duration] = [.minutes(1), .minutes(5), .hours(1), .hours(6), .hours(24)]

    /// - Parameters:
    ///   - oldest: Where the history begins.
    ///   - every: The time between two polls.
    init(oldest: Date?, every: Duration, now: Date) {
        let wanted = max(oldest.map { now.since($0) } ?? .zero, every * Self.pieces)
        window = Self.windows.first { $0 >= wanted } ?? .hours(24)
        if window == .hours(24) {
            // Whole hours, as candles are; the running one is the last.
            start = Date(milliseconds: now.milliseconds / 3_600_000 * 3_600_000) - .hours(Self.pieces - 1)
        } else {
            start = now - window
        }
    }

    /// The later of two prices in one piece stands for it.
    mutating func add(_ market: MarketID, _ price: Price, quotedAt: Date) {
        guard quotedAt >= start else { return }
        let piece = Int(quotedAt.since(start).inMilliseconds * Int64(Self.pieces) / window.inMilliseconds)
        // The provider's clock may be ahead of ours.
        prices[market, default: Array(repeating: nil, count: Self.pieces)][min(Self.pieces - 1, piece)] = price.double
    }

    /// The newest price of each piece, oldest first, nil where there is none; empty where there is none at all.
    func prices(of market: String) -> [Double?] { (try? MarketID(market)).flatMap { prices[$0] } ?? [] }
}

extension Trends {
    /// So many are read, however often is polled.
    private static let pollsLookedAt = 72

    /// Those of the history. What is read is bounded: the hourly candles of a day and a few polls.
    init(
        _ reader: HistoryReader, in currency: Currency, oldest: Date?, every: Duration, now: Date
    ) throws(HistoryError) {
        var trends = Trends(oldest: oldest, every: every, now: now)
        var polledSince = trends.start
        if trends.window == .hours(24) {
            try reader.hourlyCandles(in: currency, since: trends.start, until: now) { market, candle in
                trends.add(market, candle.close, quotedAt: candle.start)
            }
            // Candles are written some minutes after their hour.
            polledSince = now - .hours(2)
        }
        try reader.glance(in: currency, polledSince: polledSince, polls: Self.pollsLookedAt) {
            trends.add($0, $2, quotedAt: $1)
        }
        self = trends
    }
}
