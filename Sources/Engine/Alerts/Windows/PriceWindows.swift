import Markets

/// The recent prices that rules need: the lowest and highest price of each market in each window, and whether the
/// window was watched for long enough. Markets are referred to by number; rules with the same window share it. Times
/// are in milliseconds.
///
/// A window ends at the newest quote and includes both ends: two prices at most `within` apart. Beyond two days prices
/// count by the hour, so that windows kept in memory and windows rebuilt from hourly candles agree: an hour counts
/// until its last moment has left the window.
struct PriceWindows: Sendable {
    /// Shortest first.
    let lengths: [Int64]
    private var tracks: [Track] = []
    /// Where each window begins in the queues of each market: `market × lengths.count + window`.
    private var lowFirst: [Int32] = []
    private var highFirst: [Int32] = []
    /// By group, the markets of one source: the time between two polls as configured.
    private let every: [Int64]
    /// By group: two answers further apart than this leave a gap.
    private var longestSteps: [Int64]
    /// Windows longer than this count by the hour.
    static let exactFor: Int64 = 48 * 3_600_000
    /// The percentage of a window that must have been watched; below it the window is unknown.
    private static let leastCoverage: Int64 = 80

    private struct Track: Sendable {
        var lows = PriceQueue(keepsLowest: true)
        var highs = PriceQueue(keepsLowest: false)
        var gaps = WatchGaps()
        var group: Int
        /// The newest point; it enters the queues when the next one arrives.
        var newest: PriceQueue.Point?
        /// A sample of a recorded poll was added.
        var isRecorded = false
    }

    /// - Parameter every: the configured poll interval of each group.
    init(_ windows: some Sequence<Duration>, every: [Duration]) {
        lengths = Set(windows.map(\.inMilliseconds)).sorted()
        self.every = every.map(\.inMilliseconds)
        longestSteps = self.every.map { $0 * 2 }
    }

    var isEmpty: Bool { lengths.isEmpty }

    func place(of window: Duration) -> Int? { lengths.firstIndex(of: window.inMilliseconds) }

    /// Adds the next market.
    mutating func addMarket(inGroup group: Int) {
        guard !isEmpty else { return }
        tracks.append(Track(group: group))
        lowFirst.append(contentsOf: repeatElement(0, count: lengths.count))
        highFirst.append(contentsOf: repeatElement(0, count: lengths.count))
    }

    /// Forgets all prices of a market, and that it was watched.
    mutating func forget(_ market: Int) {
        guard !isEmpty else { return }
        tracks[market] = Track(group: tracks[market].group)
        for window in lengths.indices {
            lowFirst[market * lengths.count + window] = 0
            highFirst[market * lengths.count + window] = 0
        }
    }

    /// Sets the poll interval in force (zero: as configured), before the prices of a poll are added.
    mutating func setInterval(_ interval: Duration, of group: Int) {
        longestSteps[group] = max(every[group], interval.inMilliseconds) * 2
    }

    /// Adds a price of a market.
    ///
    /// - Parameter now: when it was answered; nil if it was stale then: the price counts, the time does not.
    mutating func add(_ price: Price, quotedAt: Int64, of market: Int, answeredAt now: Int64?) {
        guard !isEmpty else { return }
        if let now { answer(market, at: now) }
        push(PriceQueue.Point(price, at: quotedAt), to: market)
    }

    /// Adds a backfilled price at its own time, in chronological order with the polls.
    mutating func add(backfilled price: Price, quotedAt: Int64, of market: Int) {
        guard !isEmpty else { return }
        tracks[market].gaps.answered(at: quotedAt, longestStep: nil)
        push(PriceQueue.Point(price, at: quotedAt), to: market)
    }

    /// Adds a recorded poll, oldest first. Markets of its group that are neither in `samples` nor in `unknown` had an
    /// unchanged price; a sample of one in `unknown` was stale.
    mutating func add(
        recorded time: Int64, group: Int = 0, samples: [(market: Int, quotedAt: Int64, price: Price)], unknown: [Int]
    ) {
        guard !isEmpty else { return }
        let unknown = Set(unknown)
        for (market, quotedAt, price) in samples {
            // A sample is an answer also if its market was in another group at that time.
            add(price, quotedAt: quotedAt, of: market, answeredAt: unknown.contains(market) ? nil : time)
            tracks[market].isRecorded = true
        }
        for market in tracks.indices
        where tracks[market].isRecorded && tracks[market].group == group && !unknown.contains(market) {
            answer(market, at: time)
        }
    }

    /// Adds a recorded hour: its extremes count until its last moment has left the window.
    mutating func add(hour start: Int64, low: Price, high: Price, of market: Int) {
        guard !isEmpty else { return }
        let time = start + 3_600_000 - 1
        settle(market)
        advance(market, to: time)
        tracks[market].lows.add(PriceQueue.Point(low, at: time))
        tracks[market].highs.add(PriceQueue.Point(high, at: time))
        advance(market, to: time)
    }

    /// The lowest and highest price of a window; nil if it holds no other price.
    func range(of market: Int, window: Int) -> PriceRange? {
        let place = market * lengths.count + window
        let (low, high) = (Int(lowFirst[place]), Int(highFirst[place]))
        guard low < tracks[market].lows.end, high < tracks[market].highs.end,
            let lowest = tracks[market].lows[low].price, let highest = tracks[market].highs[high].price
        else { return nil }
        return PriceRange(lowest: lowest, highest: highest)
    }

    /// Whether enough of the window was watched; the market's last answer came at `now`.
    func isCovered(_ market: Int, window: Int, now: Int64) -> Bool {
        let length = lengths[window]
        return tracks[market].gaps.watched(from: now - length) * 100 >= length * Self.leastCoverage
    }

    private mutating func answer(_ market: Int, at time: Int64) {
        tracks[market].gaps.answered(at: time, longestStep: longestSteps[tracks[market].group])
    }

    /// A price that is trusted again after another was doubted is the same point.
    private mutating func push(_ point: PriceQueue.Point, to market: Int) {
        guard point != tracks[market].newest else { return }
        settle(market)
        tracks[market].newest = point
        advance(market, to: point.time)
    }

    /// Moves the newest point into the queues.
    private mutating func settle(_ market: Int) {
        guard let newest = tracks[market].newest else { return }
        tracks[market].lows.add(newest)
        tracks[market].highs.add(newest)
        tracks[market].newest = nil
    }

    /// Moves the start of each window to its first point that is not too old.
    private mutating func advance(_ market: Int, to time: Int64) {
        let places = market * lengths.count
        for window in lengths.indices {
            let length = lengths[window]
            lowFirst[places + window] = Int32(
                tracks[market].lows.first(from: Int(lowFirst[places + window]), in: length, before: time))
            highFirst[places + window] = Int32(
                tracks[market].highs.first(from: Int(highFirst[places + window]), in: length, before: time))
        }
        let longest = places + lengths.count - 1
        tracks[market].lows.forget(before: Int(lowFirst[longest]))
        tracks[market].highs.forget(before: Int(highFirst[longest]))
        tracks[market].gaps.forget(before: time - lengths[lengths.count - 1] * 2)
    }
}

/// A monotonic queue of one market's prices, oldest first: each is lower (or higher) than all later ones, so the first
/// in a window is the window's extreme.
///
/// All windows of a market share one queue, because a shorter window's queue is the tail of a longer one's; each window
/// stores only where it begins. Adding and reading take constant time on average, whatever the window's length.
struct PriceQueue: Sendable {
    /// A price and its time in 16 bytes: 17,000 markets have millions of them.
    struct Point: Equatable, Sendable {
        let significand: Int64
        private let timeAndExponent: Int64

        init(_ price: Price, at time: Int64) {
            significand = price.significand
            timeAndExponent = time << 8 | Int64(price.exponent + 64)
        }

        var time: Int64 { timeAndExponent >> 8 }
        var exponent: Int { Int(timeAndExponent & 0xFF) - 64 }
        var price: Price? { Price(significand: significand, exponent: exponent) }
        var double: Double {
            let exponent = exponent
            let digits = Double(significand)
            return exponent >= 0 ? digits * PowersOfTen.double[exponent] : digits / PowersOfTen.double[-exponent]
        }
    }

    private let keepsLowest: Bool
    /// Points before `head` are no longer used; they are removed in batches.
    private var points: [Point] = []
    private var head = 0
    /// The number of points removed from the front, so that places do not change when points are removed.
    private var base = 0

    init(keepsLowest: Bool) { self.keepsLowest = keepsLowest }

    /// The place of the oldest point, and the one after the newest.
    var first: Int { base + head }
    var end: Int { base + points.count }

    subscript(place: Int) -> Point { points[place - base] }

    /// Adds the newest point and removes the points that it outdoes, which no window needs any more.
    mutating func add(_ point: Point) {
        while points.count > head, let last = points.last, keepsLowest ? point.isAtMost(last) : last.isAtMost(point) {
            points.removeLast()
        }
        points.append(point)
    }

    /// Drops the points before `place`.
    mutating func forget(before place: Int) {
        head = min(max(head, place - base), points.count)
        guard head > 32, head > points.count / 2 else { return }
        points.removeFirst(head)
        base += head
        head = 0
    }

    /// The first place, from `place` on, that lies in a window of this length.
    func first(from place: Int, in length: Int64, before time: Int64) -> Int {
        // If newer points replaced older ones, the last point is at `end - 1`.
        var place = max(first, min(place, end - 1))
        while place < end {
            let point = self[place].time
            // Counted by the hour, a point counts as long as the last moment of its hour.
            let counts = length > PriceWindows.exactFor ? point - point % 3_600_000 + 3_599_999 : point
            guard counts < time - length else { break }
            place += 1
        }
        return place
    }
}

extension PriceQueue.Point {
    /// Exact. The doubles decide unless they are too close to be reliable.
    func isAtMost(_ other: Self) -> Bool {
        let (a, b) = (double, other.double)
        if abs(a - b) > 1e-14 * max(a, b) { return a < b }
        guard let price, let other = other.price else { return a <= b }
        return price <= other
    }
}
