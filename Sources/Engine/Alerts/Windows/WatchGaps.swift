import Markets

/// The times when a market was not watched: between answers that are too far apart. Times are in milliseconds.
struct WatchGaps: Sendable {
    private struct Gap: Sendable {
        var start: Int64
        var end: Int64
        /// The length of this gap and of all before it.
        var sum: Int64
    }

    private var gaps: [Gap] = []
    /// The first answer ever; nil before it.
    private var begun: Int64?
    private var lastAnswer: Int64 = .min
    /// The last answer was a backfilled price.
    private var lastIsBackfilled = false

    /// Providers return past prices about once an hour: backfilled prices up to this far apart leave no gap.
    static let backfilledStep: Int64 = 2 * 3_600_000

    /// Adds an answer with a price; ignores one that is not later than the last.
    mutating func answered(at now: Int64, longestStep: Int64) {
        note(now, lastIsBackfilled ? max(longestStep, Self.backfilledStep) : longestStep, isBackfilled: false)
    }

    /// Adds a backfilled price.
    mutating func backfilled(at now: Int64) { note(now, Self.backfilledStep, isBackfilled: true) }

    private mutating func note(_ now: Int64, _ longestStep: Int64, isBackfilled: Bool) {
        guard now > lastAnswer else { return }
        lastIsBackfilled = isBackfilled
        if begun == nil {
            begun = now
        } else if now - lastAnswer > longestStep {
            gaps.append(Gap(start: lastAnswer, end: now, sum: (gaps.last?.sum ?? 0) + now - lastAnswer))
        }
        lastAnswer = now
    }

    /// Marks the time up to `time` as watched: all polls in it had a price.
    mutating func extend(to time: Int64) {
        if begun == nil { begun = time }
        guard time > lastAnswer else { return }
        lastAnswer = time
        lastIsBackfilled = false
    }

    /// How much of the time from `start` to `now` was watched; `now` is the last answer.
    func watched(from start: Int64, to now: Int64) -> Int64 {
        guard let begun else { return 0 }
        let from = max(start, begun)
        let whole = max(0, now - from)
        guard let newest = gaps.last, newest.end > from else { return whole }
        // The first gap that ends inside. Nearly always there is none or one.
        var (low, high) = (0, gaps.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if gaps[middle].end > from { high = middle } else { low = middle + 1 }
        }
        let first = gaps[low]
        let before = first.sum - (first.end - first.start)
        return whole - (newest.sum - before) + max(0, from - first.start)
    }

    /// Forgets the gaps that ended before `time`.
    mutating func forget(before time: Int64) {
        guard let oldest = gaps.first, oldest.end <= time, gaps.count > 16 else { return }
        gaps.removeFirst(gaps.firstIndex { $0.end > time } ?? gaps.count)
    }
}
