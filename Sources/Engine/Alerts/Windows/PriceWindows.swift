import Markets

/// What the rules ask of the past: the lowest and highest price of each market over each window, and whether the
/// window was watched for long enough. Markets are numbered; rules that share a window share its answer.
///
/// A window ends with the newest quote and reaches back by its length, both ends included: two prices no further
/// apart than `within`. Beyond two days the past is known by the hour, so that what is in memory and what is rebuilt
/// from hourly candles give the same answer: an hour counts until its last moment has left the window.
struct PriceWindows: Sendable {
    /// Shortest first.
    let lengths: [Int64]
    private var groups: [Group]
    private var tracks: [Track] = []
    /// Where each window begins in the queues of each market: `market × lengths.count + window`.
    private var lowFirst: [Int32] = []
    private var highFirst: [Int32] = []
    /// By window, then market: the newest price against the extremes; not a number where it cannot be said.
    private(set) var rise: [[Double]]
    private(set) var fall: [[Double]]
    private(set) var move: [[Double]]

    /// From this age on, points count by the hour.
    static let exactFor: Int64 = 48 * 3_600_000
    /// A window covered to less is unknown.
    private static let coverage: (least: Int64, of: Int64) = (80, 100)

    private struct Track: Sendable {
        var lows = PriceQueue()
        var highs = PriceQueue()
        var gaps = WatchGaps()
        var group = 0
        /// The newest point, which belongs to no queue before the next comes.
        var newest: PriceQueue.Point?
        /// A price of it was recorded.
        var isWatched = false
    }

    /// Markets that are asked in the same polls.
    private struct Group: Sendable {
        /// The time between two polls as configured.
        let every: Int64
        /// Two answers further apart leave what lies between unwatched.
        var longestStep: Int64
        /// While the past is recalled: the last poll so far.
        var recalled: Int64?

        init(every: Duration) {
            self.every = every.inMilliseconds
            longestStep = self.every * 2
        }
    }

    /// While the past is recalled: the markets of which their last poll had no price.
    private var absent: Set<Int> = []

    /// - Parameters:
    ///   - every: The time between two polls, as configured, of the markets in group 0, where all are that are not put
    ///     elsewhere.
    ///   - others: Of those in the groups from 1 on.
    init(_ windows: some Sequence<Duration>, every: Duration, others: [Duration] = []) {
        lengths = Set(windows.map(\.inMilliseconds)).sorted()
        groups = ([every] + others).map(Group.init)
        rise = lengths.map { _ in [] }
        fall = rise
        move = rise
    }

    var isEmpty: Bool { lengths.isEmpty }

    func place(of window: Duration) -> Int? { lengths.firstIndex(of: window.inMilliseconds) }

    /// Makes room for markets up to this number.
    mutating func grow(to count: Int) {
        guard !isEmpty, count > tracks.count else { return }
        let more = count - tracks.count
        tracks.append(contentsOf: repeatElement(Track(), count: more))
        lowFirst.append(contentsOf: repeatElement(0, count: more * lengths.count))
        highFirst.append(contentsOf: repeatElement(0, count: more * lengths.count))
        for window in lengths.indices {
            rise[window].append(contentsOf: repeatElement(.nan, count: more))
            fall[window].append(contentsOf: repeatElement(.nan, count: more))
            move[window].append(contentsOf: repeatElement(.nan, count: more))
        }
    }

    mutating func put(_ market: Int, inGroup group: Int) {
        guard !isEmpty else { return }
        tracks[market].group = group
    }

    /// Before what a poll says of a group's markets: the interval that led to it.
    mutating func pace(_ group: Int, every interval: Duration) {
        groups[group].longestStep = max(groups[group].every, interval.inMilliseconds) * 2
    }

    /// Takes in what a poll says of a market; nil: nothing.
    mutating func take(_ price: Price?, quotedAt: Int64, of market: Int, now: Int64) {
        guard !isEmpty else { return }
        guard let price else { return blank(market) }
        answer(market, at: now)
        let point = PriceQueue.Point(price, at: quotedAt)
        if let newest = tracks[market].newest, newest.time == point.time, newest.significand == point.significand,
            newest.exponent == point.exponent
        {
            measure(market, now: now)
        } else {
            push(point, to: market)
            measure(market, now: now)
        }
    }

    /// Takes in a price that was healed, at the moment that it speaks of.
    mutating func take(healed price: Price, quotedAt: Int64, of market: Int) {
        guard !isEmpty else { return }
        tracks[market].gaps.healed(at: quotedAt)
        push(PriceQueue.Point(price, at: quotedAt), to: market)
        measure(market, now: quotedAt)
    }

    /// The bounds of a window as they are now; nil where no other price lies in it.
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
    /// A recorded poll, oldest first. Markets of the groups that it asked for and says nothing of were known and
    /// unchanged.
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
            // One that was in another group when it was polled was answered all the same.
            if !tracks[market].isWatched || !asked.contains(tracks[market].group) { answer(market, at: time) }
            tracks[market].isWatched = true
            push(PriceQueue.Point(price, at: quotedAt), to: market)
        }
        for group in asked { groups[group].recalled = time }
    }

    /// Where nobody asked for longer than a step, the markets of the group were known to the last poll before.
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

    /// Healed prices, which speak of their own markets alone; between the polls in the order of time.
    mutating func recall(healed samples: [(market: Int, quotedAt: Int64, price: Price)]) {
        guard !isEmpty else { return }
        for (market, quotedAt, price) in samples {
            if let recalled = groups[tracks[market].group].recalled, tracks[market].isWatched, !absent.contains(market)
            {
                tracks[market].gaps.extend(to: recalled)
            }
            tracks[market].gaps.healed(at: quotedAt)
            push(PriceQueue.Point(price, at: quotedAt), to: market)
        }
    }

    /// The recorded past is complete; what follows is live.
    mutating func finishRecall() {
        guard groups.contains(where: { $0.recalled != nil }) else { return }
        for market in tracks.indices where tracks[market].isWatched && !absent.contains(market) {
            if let last = groups[tracks[market].group].recalled { tracks[market].gaps.extend(to: last) }
        }
        for group in groups.indices { groups[group].recalled = nil }
        absent = []
    }

    /// A recorded hour: its extremes count until its last moment has left the window.
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

    /// What was newest becomes one of the others.
    private mutating func settle(_ market: Int) {
        guard let newest = tracks[market].newest else { return }
        tracks[market].lows.add(newest) { $0.isAtMost($1) }
        tracks[market].highs.add(newest) { $1.isAtMost($0) }
        tracks[market].newest = nil
    }

    /// Moves the beginning of each window to what still lies in it.
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

    private mutating func measure(_ market: Int, now: Int64) {
        guard let newest = tracks[market].newest?.double else { return blank(market) }
        for window in lengths.indices {
            guard isCovered(market, window: window, now: now) else {
                blank(market, window)
                continue
            }
            let place = market * lengths.count + window
            let (low, high) = (Int(lowFirst[place]), Int(highFirst[place]))
            guard low < tracks[market].lows.end, high < tracks[market].highs.end else {
                // Nothing to compare with: the price has not moved.
                rise[window][market] = 0
                fall[window][market] = 0
                move[window][market] = 0
                continue
            }
            let up = newest / tracks[market].lows[low].double - 1
            let down = 1 - newest / tracks[market].highs[high].double
            rise[window][market] = up
            fall[window][market] = down
            move[window][market] = max(up, down)
        }
    }

    private mutating func blank(_ market: Int) {
        for window in lengths.indices { blank(market, window) }
    }

    private mutating func blank(_ market: Int, _ window: Int) {
        rise[window][market] = .nan
        fall[window][market] = .nan
        move[window][market] = .nan
    }
}

extension PriceQueue {
    /// The first place, from `place` on, that lies in a window of this length.
    func first(from place: Int, in length: Int64, before time: Int64) -> Int {
        // Where newer points took the place of older ones, the last of them stands at `end - 1`.
        var place = max(first, min(place, end - 1))
        while place < end {
            let point = self[place].time
            // By the hour, a point counts as long as the last moment of its hour does.
            let counts = length > PriceWindows.exactFor ? point - point % 3_600_000 + 3_599_999 : point
            guard counts < time - length else { break }
            place += 1
        }
        return place
    }
}
