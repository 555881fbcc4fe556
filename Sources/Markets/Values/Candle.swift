import Foundation

/// Open, high, low and close of one market over one period.
package struct Candle: Hashable, Sendable {
    /// The first moment of its bucket; buckets begin at multiples of their length since 1970, UTC.
    package var start: Date
    package var open: Price
    package var high: Price
    package var low: Price
    package var close: Price
    package var samples: Int
    /// Traded in 24 h and market capitalisation at the close, where the provider states them.
    package var volume24h: Double?
    package var marketCap: Double?

    package init(start: Date, first price: Price) {
        self.init(start: start, open: price, high: price, low: price, close: price, samples: 1)
    }

    /// A candle as it was recorded.
    package init(
        start: Date, open: Price, high: Price, low: Price, close: Price, samples: Int, volume24h: Double? = nil,
        marketCap: Double? = nil
    ) {
        self.start = start
        self.open = open
        self.high = high
        self.low = low
        self.close = close
        self.samples = samples
        self.volume24h = volume24h
        self.marketCap = marketCap
    }

    /// Adds a later price; volume and market capitalisation replace the previous ones if given.
    package mutating func add(_ price: Price, volume24h: Double? = nil, marketCap: Double? = nil) {
        if price > high { high = price }
        if price < low { low = price }
        close = price
        samples += 1
        state(volume24h: volume24h, marketCap: marketCap)
    }

    /// Adds the next candle.
    package mutating func add(_ later: Candle) {
        high = max(high, later.high)
        low = min(low, later.low)
        close = later.close
        samples += later.samples
        state(volume24h: later.volume24h, marketCap: later.marketCap)
    }

    /// Replaces volume and market capitalisation, each unless nil.
    package mutating func state(volume24h: Double?, marketCap: Double?) {
        self.volume24h = volume24h ?? self.volume24h
        self.marketCap = marketCap ?? self.marketCap
    }
}

/// Gathers samples or shorter candles, oldest first, into candles of one length.
package struct CandleBuilder: Sendable {
    private let step: Int64
    private var current: Candle?

    package init(length: Duration) {
        step = max(1, length.inMilliseconds)
    }

    /// The first moment of the bucket that `moment` falls in.
    package func start(of moment: Date) -> Date {
        let time = moment.milliseconds
        return Date(milliseconds: time - ((time % step) + step) % step)
    }

    /// Adds a sample. Returns the previous candle if the sample begins a new one.
    package mutating func add(_ price: Price, quotedAt: Date) -> Candle? { add(Candle(start: quotedAt, first: price)) }

    /// Adds a shorter candle. Returns the previous candle if it begins a new one.
    package mutating func add(_ shorter: Candle) -> Candle? {
        let start = start(of: shorter.start)
        if current?.start == start {
            current?.add(shorter)
            return nil
        }
        defer {
            current = shorter
            current?.start = start
        }
        return current
    }

    /// Returns the open candle and resets the builder; nil if there is none.
    package mutating func finish() -> Candle? {
        defer { current = nil }
        return current
    }
}
