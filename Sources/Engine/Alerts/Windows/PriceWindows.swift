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
    private var groups: [Group]
    private var tracks: [Track] = []
    /// Where each window begins in the queues of each market: `market × lengths.count + window`.
    private var lowFirst: [Int32] = []
    private var highFirst: [Int32] = []
    /// Windows longer than this count by the hour.
    static let exactFor: Int64 = 48 * 3_600_000
    /// The share of a window that must have been watched; below it the window is unknown.
    private static let coverage: (least: Int64, of: Int64) = (80, 100)

    private struct Track: Sendable {
        var lows = PriceQueue()
        var highs = PriceQueue()
        var gaps = WatchGaps()
        var group = 0
        /// The newest point; it enters the queues when the next one arrives.
        var newest: PriceQueue.Point?
        /// A price of the market was recorded.
        var isWatched = false
    }

    /// The markets of one source.
    private struct Group: Sendable {
        /// The time between two polls as configured.
        let every: Int64
        /// Two answers further apart than this leave a gap.
        var longestStep: Int64
        /// During recall: the last poll so far.
        var recalled: Int64?

        init(every: Duration) {
            self.every = every.inMilliseconds
            longestStep = self.every * 2
        }
    }

    /// During recall: the markets without a price in their last poll.
    private var absent: Set<Int> = []

    /// - Parameters:
    ///   - every: the configured poll interval of group 0, in which all markets are unless `put` elsewhere.
    ///   - others: the intervals of the groups from 1 on.
    init(_ windows: some Sequence<Duration>, every: Duration, others: [Duration] = []) {
        lengths = Set(windows.map(\.inMilliseconds)).sorted()
        groups = ([every] + others).map(Group.init)
    }

    var isEmpty: Bool { lengths.isEmpty }

    func place(of window: Duration) -> Int? { lengths.firstIndex(of: window.inMilliseconds) }

    /// Extends the tables to `count` markets.
    mutating func grow(to count: Int) {
        guard !isEmpty, count > tracks.count else { return }
        let more = count - tracks.count
        tracks.append(contentsOf: repeatElement(Track(), count: more))
        lowFirst.append(contentsOf: repeatElement(0, count: more * lengths.count))
        highFirst.append(contentsOf: repeatElement(0, count: more * lengths.count))
    }

    mutating func put(_ market: Int, inGroup group: Int) {
        guard !isEmpty else { return }
        tracks[market].group = group
    }

    /// Sets the poll interval in force; called before `take` for the group's markets.
    mutating func pace(_ group: Int, every interval: Duration) {
        groups[group].longestStep = max(groups[group].every, interval.inMilliseconds) * 2
    }

    /// Adds a polled price of a market; nil: none.
    mutating func take(_ price: Price?, quotedAt: Int64, of market: Int, now: Int64) {
        guard !isEmpty else { return }
        guard let price else { return }
        answer(market, at: now)
        let point = PriceQueue.Point(price, at: quotedAt)
        if let newest = tracks[market].newest, newest.time == point.time, newest.significand == point.significand,
            newest.exponent == point.exponent
        {
            return
        }
        push(point, to: market)
    }

    /// Adds a backfilled price at its own time.
    mutating func take(backfilled price: Price, quotedAt: Int64, of market: Int) {
        guard !isEmpty else { return }
        tracks[market].gaps.backfilled(at: quotedAt)
        push(PriceQueue.Point(price, at: quotedAt), to: market)
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

    func isCovered(_ market: Int, window: Int, now: Int64) -> Bool {
        let watched = tracks[market].gaps.watched(from: now - lengths[window], to: now)
        return watched * Self.coverage.of >= lengths[window] * Self.coverage.least
    }
}

// MARK: Recalling the past

extension PriceWindows {
    /// Adds a recorded poll, oldest first. Markets of the polled groups that are neither in `samples` nor in `unknown`
    /// had an unchanged price.
    mutating func recall(
        poll time: Int64, groups asked: [Int] = [0], samples: [(market: Int, quotedAt: Int64, price: Price)],
        unknown: [Int]
    ) {
        guard !isEmpty else { return }
        let unknown = Set(unknown)
        for group in asked { closeGap(of: group, until: time, unknown) }
        let absentBefore = absent.filter { asked.contains(tracks[$0].group) }
        for market in absentBefore.subtracting(unknown) where tracks[market].isWatched { answer(market, at: time) }
        for market in unknown.subtracting(absent) where tracks[market].isWatched {
            if let last = groups[tracks[market].group].recalled { tracks[market].gaps.extend(to: last) }
        }
        absent = absent.subtracting(absentBefore).union(unknown)
        for (market, quotedAt, price) in samples {
            // A sample is an answer also if its market was in another group at that time.
            if !tracks[market].isWatched || !asked.contains(tracks[market].group) { answer(market, at: time) }
            tracks[market].isWatched = true
            push(PriceQueue.Point(price, at: quotedAt), to: market)
        }
        for group in asked { groups[group].recalled = time }
    }

    /// After a gap of more than one step, the group's markets count as watched up to the last poll before it.
    private mutating func closeGap(of group: Int, until time: Int64, _ unknown: Set<Int>) {
        let last = groups[group].recalled
        if let last, time - last <= groups[group].longestStep { return }
        for market in tracks.indices
        where tracks[market].group == group && tracks[market].isWatched && !absent.contains(market) {
            if let last { tracks[market].gaps.extend(to: last) }
            if !unknown.contains(market) { answer(market, at: time) }
        }
    }

    private mutating func answer(_ market: Int, at time: Int64) {
        tracks[market].gaps.answered(at: time, longestStep: groups[tracks[market].group].longestStep)
    }

    /// Adds backfilled prices, each for its own market only, in chronological order with the polls.
    mutating func recall(backfilled samples: [(market: Int, quotedAt: Int64, price: Price)]) {
        guard !isEmpty else { return }
        for (market, quotedAt, price) in samples {
            if let recalled = groups[tracks[market].group].recalled, tracks[market].isWatched, !absent.contains(market)
            {
                tracks[market].gaps.extend(to: recalled)
            }
            tracks[market].gaps.backfilled(at: quotedAt)
            push(PriceQueue.Point(price, at: quotedAt), to: market)
        }
    }

    /// Ends the recall; live polls follow.
    mutating func finishRecall() {
        guard groups.contains(where: { $0.recalled != nil }) else { return }
        for market in tracks.indices where tracks[market].isWatched && !absent.contains(market) {
            if let last = groups[tracks[market].group].recalled { tracks[market].gaps.extend(to: last) }
        }
        for group in groups.indices { groups[group].recalled = nil }
        absent = []
    }

    /// Adds a recorded hour: its extremes count until its last moment has left the window.
    mutating func recall(hour start: Int64, low: Price, high: Price, of market: Int) {
        let time = start + 3_600_000 - 1
        settle(market)
        advance(market, to: time)
        tracks[market].lows.add(PriceQueue.Point(low, at: time)) { $0.isAtMost($1) }
        tracks[market].highs.add(PriceQueue.Point(high, at: time)) { $1.isAtMost($0) }
        advance(market, to: time)
    }
}

// MARK: The queues

extension PriceWindows {
    private mutating func push(_ point: PriceQueue.Point, to market: Int) {
        settle(market)
        tracks[market].newest = point
        advance(market, to: point.time)
    }

    /// Moves the newest point into the queues.
    private mutating func settle(_ market: Int) {
        guard let newest = tracks[market].newest else { return }
        tracks[market].lows.add(newest) { $0.isAtMost($1) }
        tracks[market].highs.add(newest) { $1.isAtMost($0) }
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

extension PriceQueue {
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
