import Engine
import Foundation
import Markets

/// One market's prices over a time range with its alert events: the input of all drawings.
package struct Chart {
    package var market: MarketID
    package var symbol = ""
    package var name = ""
    package var currency: Currency
    package var zone = Zone.utc
    package var start: Date
    package var end: Date
    /// Prices over time, each drawn at its `start`, oldest first. No line is drawn from one stretch to the next.
    package var stretches: [[Candle]]
    /// The recorded hours, oldest first.
    package var hours: [Candle] = []
    /// Firing and resolved events in the range, oldest first.
    package var events: [AlertEvent] = []
    /// The levels of the rules on this market.
    package var thresholds: [Threshold] = []

    package struct Threshold: Hashable, Sendable {
        var rule: String
        var price: Price

        /// One for each price that a condition compares with; none for a condition about moves or the data.
        package static func of(_ rule: String, _ condition: AlertRule.Condition) -> [Threshold] {
            switch condition {
            case .above(let price), .below(let price): [Threshold(rule: rule, price: price)]
            case .outside(let low, let high): [low, high].map { Threshold(rule: rule, price: $0) }
            default: []
            }
        }
    }

    package init(of market: MarketID, in currency: Currency, from start: Date, to end: Date, _ stretches: [[Candle]]) {
        self.market = market
        self.currency = currency
        self.start = start
        self.end = max(end, start + .seconds(1))
        self.stretches = stretches
    }

    /// `Bitcoin (BTC) in usd`, safe to print; a long name is cut.
    package func title(atMost length: Int) -> String {
        let name = self.name.isEmpty ? market.text : self.name
        let symbol = self.symbol.isEmpty ? "" : " (\(SafeText.printable(self.symbol.uppercased(), atMost: 12)))"
        let currency = " in \(currency)"
        return SafeText.printable(name + symbol, atMost: length - currency.count) + currency
    }

    /// `2026-11-20 10:00 to 2026-11-21 10:00 UTC`; with seconds if the range is shorter than 10 minutes.
    package var time: String {
        zone.text(from: start, to: end, end.since(start) < .minutes(10) ? .seconds : .minutes)
    }

    /// `high 78,000.12`, `low …`, `last …`, `change +1.25 %`; or that nothing was recorded.
    package var facts: [String] {
        guard let range, let last, let change else { return ["nothing recorded in this time"] }
        return [
            "high \(range.upperBound.shortText)", "low \(range.lowerBound.shortText)", "last \(last.shortText)",
            "change \(change.signed) %",
        ]
    }

    package var isEmpty: Bool { stretches.isEmpty }

    /// From the lowest price to the highest; nil: there is none.
    var range: ClosedRange<Price>? {
        guard let low = stretches.joined().map(\.low).min(), let high = stretches.joined().map(\.high).max() else {
            return nil
        }
        return low...high
    }

    /// The recorded prices in candles of one length, oldest first.
    ///
    /// - Parameter length: A number of hours.
    func candles(of length: Duration) -> [Candle] {
        var builder = CandleBuilder(length: length)
        let done = hours.compactMap { builder.add($0) }
        return done + [builder.finish()].compactMap { $0 }
    }

    private var last: Price? { stretches.last?.last?.close }

    /// From the first price shown to the last.
    var change: Percent? {
        guard let first = stretches.first?.first?.open, let last else { return nil }
        return Percent(from: first, to: last)
    }

    /// From the end of a stretch to the start of the next, and at either end of the chart what is longer than a
    /// fiftieth of it: the next poll may not be due yet.
    var gaps: [Range<Date>] {
        var gaps: [Range<Date>] = []
        var from = start
        for stretch in stretches {
            guard let first = stretch.first?.start, let last = stretch.last?.start else { continue }
            gaps.append(from..<max(from, first))
            from = last
        }
        gaps.append(from..<max(from, end))
        let least = end.since(start) / 50
        return gaps.filter { gap in
            let isAtEnd = gap.lowerBound == start || gap.upperBound == end
            return gap.upperBound.since(gap.lowerBound) > (isAtEnd ? least : .zero)
        }
    }

    /// The prices of one stretch, put together by column of the drawing; a column keeps their extremes.
    static func columns(
        of stretch: [Candle], on axis: ChartAxis, count: Int
    ) -> [(index: Int, prices: Candle)] {
        var columns: [(index: Int, prices: Candle)] = []
        for prices in stretch {
            let index = min(count - 1, Int(axis.share(of: prices.start) * Double(count)))
            if let last = columns.indices.last, columns[last].index == index {
                columns[last].prices.add(prices)
            } else {
                columns.append((index, prices))
            }
        }
        return columns
    }
}

extension AlertEvent {
    enum Direction {
        case up, down
    }

    /// The direction of the price that fired the alert; nil if the alert is not about a price direction.
    var direction: Direction? {
        if let change = changePercent, change != .zero { return change > .zero ? .up : .down }
        if let price, let threshold, price != threshold { return price > threshold ? .up : .down }
        return switch condition {
        case .above, .rises, .newHigh: .up
        case .below, .falls, .newLow: .down
        default: nil
        }
    }
}
