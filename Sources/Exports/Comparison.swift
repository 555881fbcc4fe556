import Engine
import Foundation
import Markets

/// The confirmed samples of one market in one currency, as the history has them.
package struct RecordedSeries: Hashable, Sendable {
    package let market: MarketID
    package let currency: Currency
    /// Oldest first.
    package var samples: [Sample]

    package struct Sample: Hashable, Sendable {
        package var quotedAt: Date
        package var price: Price
        /// Whether the engine must hold it; else it may.
        package var isSent: Bool

        package init(quotedAt: Date, price: Price, isSent: Bool = true) {
            self.quotedAt = quotedAt
            self.price = price
            self.isSent = isSent
        }
    }

    package init(market: MarketID, currency: Currency, samples: [Sample]) {
        self.market = market
        self.currency = currency
        self.samples = samples
    }
}

/// How an engine's samples of one series differ from the recorded ones.
package struct Comparison: Hashable, Sendable {
    package let market: MarketID
    package let currency: Currency
    /// How many times have a sample that was sent.
    package var recorded = 0
    /// Recorded, and not in the engine; oldest first.
    package var missing: [RecordedSeries.Sample] = []
    /// In the engine with another price.
    package var different = 0
    /// Held again at a time at which the engine holds one already.
    package var doubled = 0
    /// Held at times at which none is recorded, as those of another daemon are.
    package var foreign = 0
    /// Sent again by the verification, and found then.
    package var repaired = 0
    /// From the first to the last sample that is missing, different or doubled.
    package var span: ClosedRange<Date>?

    /// Of a price and the engine's float, relative: VictoriaMetrics cuts digits off up to 1e-12 of the value, and the
    /// rounding of floats adds to that.
    private static let tolerance = 2e-12

    init(of series: RecordedSeries) {
        market = series.market
        currency = series.currency
    }

    /// - Parameters:
    ///   - held: what the engine holds of this series: one for each further set of labels.
    ///   - range: the times that were asked for, in milliseconds since 1970.
    init(of series: RecordedSeries, with held: [ReadSeries], in range: Range<Int64>) {
        self.init(of: series)
        var found: [Int64: [Double]] = [:]
        var times: Set<Int64> = []
        for line in held {
            times.removeAll(keepingCapacity: true)
            for (time, value) in zip(line.timestamps, line.values) where range.contains(time) {
                guard let value else { continue }
                found[time, default: []].append(value)
                if !times.insert(time).inserted { add(\.doubled, at: time) }
            }
        }
        // Two recorded at one millisecond are one sample there, and either price is right.
        var place = series.samples.startIndex
        while place < series.samples.endIndex {
            let time = series.samples[place].quotedAt.milliseconds
            let next = series.samples[place...].firstIndex { $0.quotedAt.milliseconds != time }
            let end = next ?? series.samples.endIndex
            judge(series.samples[place..<end], found.removeValue(forKey: time) ?? [], at: time)
            place = end
        }
        foreign = found.values.reduce(0) { $0 + $1.count }
    }

    /// - Parameters:
    ///   - samples: of one moment.
    ///   - values: what the engine holds at it.
    private mutating func judge(_ samples: ArraySlice<RecordedSeries.Sample>, _ values: [Double], at time: Int64) {
        guard let sent = samples.first(where: \.isSent) else { return }
        recorded += 1
        let isEqual = samples.contains { sample in
            values.contains { abs($0 - sample.price.double) <= Self.tolerance * sample.price.double }
        }
        if values.isEmpty {
            missing.append(sent)
            widen(to: time)
        } else if !isEqual {
            add(\.different, at: time)
        }
    }

    /// True if the engine holds every recorded sample once.
    package var isEqual: Bool { missing.isEmpty && different == 0 && doubled == 0 }

    private mutating func add(_ count: WritableKeyPath<Comparison, Int>, at time: Int64) {
        self[keyPath: count] += 1
        widen(to: time)
    }

    private mutating func widen(to time: Int64) {
        let date = Date(milliseconds: time)
        span = min(span?.lowerBound ?? date, date)...max(span?.upperBound ?? date, date)
    }

    /// Adds the comparison of a later part of the same series.
    package mutating func add(_ other: Comparison) {
        recorded += other.recorded
        missing += other.missing
        different += other.different
        doubled += other.doubled
        foreign += other.foreign
        repaired += other.repaired
        for end in [other.span?.lowerBound, other.span?.upperBound].compactMap(\.self) { widen(to: end.milliseconds) }
    }
}
