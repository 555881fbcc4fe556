public import Foundation

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

    public mutating func add(_ price: Price) {
        high = max(high, price)
        low = min(low, price)
        close = price
        samples += 1
    }
}

/// Gathers samples, oldest first, into candles of one length.
public struct CandleBuilder: Sendable {
    public let length: Duration
    private var current: Candle?

    public init(length: Duration) { self.length = length }

    /// Returns the candle that this sample's bucket closes, if it does.
    public mutating func add(_ price: Price, quotedAt: Date) -> Candle? {
        let step = length.inMilliseconds
        let time = quotedAt.milliseconds
        let start = Date(milliseconds: time - ((time % step) + step) % step)
        if current?.start == start {
            current?.add(price)
            return nil
        }
        defer { current = Candle(start: start, first: price) }
        return current
    }

    /// The candle that is still open; the builder begins anew.
    public mutating func finish() -> Candle? {
        defer { current = nil }
        return current
    }
}
