import Foundation
import Markets

/// What is drawn at one time: a price, or the prices of a candle.
struct ChartPoint: Hashable {
    var at: Date
    var open: Double
    var high: Double
    var low: Double
    var close: Double
}

/// Prices over time in stretches without gaps; no line is drawn across a gap.
struct ChartSeries {
    private(set) var stretches: [[ChartPoint]] = []
    private(set) var first: Price?
    private(set) var last: Price?
    private(set) var high: Price?
    private(set) var low: Price?
    /// The number of prices or candles.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var start: Date? { stretches.first?.first?.at }
    var end: Date? { stretches.last?.last?.at }

    /// Each from the end of a stretch to the start of the next.
    var gaps: [Range<Date>] {
        zip(stretches, stretches.dropFirst()).compactMap { before, after in
            guard let from = before.last?.at, let to = after.first?.at, from < to else { return nil }
            return from..<to
        }
    }

    /// From the first price shown to the last.
    var change: Percent? {
        guard let first, let last else { return nil }
        return Percent(from: first, to: last)
    }

    private mutating func add(_ point: ChartPoint, _ prices: (Price, Price, Price, Price), startsStretch: Bool) {
        if startsStretch || stretches.isEmpty { stretches.append([]) }
        stretches[stretches.count - 1].append(point)
        count += 1
        first = first ?? prices.0
        high = max(high ?? prices.1, prices.1)
        low = min(low ?? prices.2, prices.2)
        last = prices.3
    }
}

extension ChartSeries {
    /// Prices as they were polled.
    init(_ polls: PolledPrices) {
        let breaks = Set(polls.breaks)
        for (index, quote) in polls.quotes.enumerated() {
            let price = quote.price.double
            add(
                ChartPoint(at: quote.at, open: price, high: price, low: price, close: price),
                (quote.price, quote.price, quote.price, quote.price), startsStretch: breaks.contains(index))
        }
    }

    /// Candles of one length, oldest first. A missing candle leaves a gap.
    ///
    /// - Parameter end: The end of the chart; the current candle ends later.
    init(_ candles: [Candle], length: Duration, until end: Date) {
        let starts = candles.map(\.start)
        let usual = UsualStep(starts)
        for (index, candle) in candles.enumerated() {
            let middle = candle.start + length / 2
            let point = ChartPoint(
                at: min(middle, max(candle.start, end)), open: candle.open.double, high: candle.high.double,
                low: candle.low.double, close: candle.close.double)
            // Candles are aligned to a grid: exactly twice the step means one is missing.
            let isGap = index > 0 && usual.isFar(index, orAsFar: true)
            add(point, (candle.open, candle.high, candle.low, candle.close), startsStretch: isGap)
        }
    }
}
