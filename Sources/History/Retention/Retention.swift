/// How long and how large a history may grow.
public struct Retention: Hashable, Sendable {
    /// Every recorded price; nil: forever.
    public var samples: Duration?
    /// Hourly candles and alert events; nil: forever. Never shorter than `samples` in effect.
    public var candles: Duration?
    /// Bytes of database and write-ahead log on disk; the oldest samples go first, candles stay.
    public var maxSize: Int64?

    public init(samples: Duration? = nil, candles: Duration? = nil, maxSize: Int64? = nil) {
        self.samples = samples
        self.candles = candles
        self.maxSize = maxSize
    }
}

/// What was taken out of a history.
public struct Pruned: Hashable, Sendable {
    public var samples: Int64 = 0
    public var polls: Int64 = 0
    public var candles: Int64 = 0
    public var events: Int64 = 0
    /// Markets of which nothing is left.
    public var series: Int64 = 0
    /// By how much the files shrank.
    public var bytes: Int64 = 0
    /// The longest that a step kept the database from others.
    public var longestStep = Duration.zero
    /// More than `maxSize` is left, and nothing that may go.
    public var isStillTooLarge = false

    public init() {}

    public var isEmpty: Bool {
        samples == 0 && polls == 0 && candles == 0 && events == 0 && series == 0 && bytes <= 0
    }
}
