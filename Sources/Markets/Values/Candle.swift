import Foundation

/// Open, high, low and close of one market over one stretch of time.
public struct Candle: Hashable, Sendable {
    /// The first moment of its bucket; buckets begin at multiples of their length since 1970, UTC.
    public var start: Date
    public var open: Price
    public var high: Price
    public var low: Price
    public var close: Price
    public var samples: Int
    /// Traded in 24 h and market capitalisation at the close, where the provider states them.
    public var volume24h: Double?
    public var marketCap: Double?

    public init(start: Date, first price: Price) {
        self.start = start
        open = price
        high = price
        low = price
        close = price
        samples = 1
    }

    /// A candle as it was recorded.
    public init(
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

    /// Adds the price that came after those it holds; what is stated with it replaces what was stated before.
    public mutating func add(_ price: Price, volume24h: Double? = nil, marketCap: Double? = nil) {
        if price > high { high = price }
        if price < low { low = price }
        close = price
        samples += 1
        state(volume24h: volume24h, marketCap: marketCap)
    }

    /// Adds the candle that came after this one.
    public mutating func add(_ later: Candle) {
        high = max(high, later.high)
        low = min(low, later.low)
        close = later.close
        samples += later.samples
        state(volume24h: later.volume24h, marketCap: later.marketCap)
    }

    /// Takes over what a provider states of the market now.
    public mutating func state(volume24h: Double?, marketCap: Double?) {
        self.volume24h = volume24h ?? self.volume24h
        self.marketCap = marketCap ?? self.marketCap
    }
}

/// Gathers samples or shorter candles, oldest first, into candles of one length.
public struct CandleBuilder: Sendable {
    public let length: Duration
    private let step: Int64
    private var current: Candle?

    public init(length: Duration) {
        self.length = length
        step = max(1, length.inMilliseconds)
    }

    /// The first moment of the bucket that `moment` falls in.
    public func start(of moment: Date) -> Date {
        let time = moment.milliseconds
        return Date(milliseconds: time - ((time % step) + step) % step)
    }

    /// Returns the candle that this sample's bucket closes, if it does.
    public mutating func add(_ price: Price, quotedAt: Date) -> Candle? {
        let start = start(of: quotedAt)
        if current?.start == start {
            current?.add(price)
            return nil
        }
        defer { current = Candle(start: start, first: price) }
        return current
    }

    /// Returns the candle that this shorter one closes, if it does.
    public mutating func add(_ shorter: Candle) -> Candle? {
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

    /// The candle that is still open; the builder begins anew.
    public mutating func finish() -> Candle? {
        defer { current = nil }
        return current
    }
}
