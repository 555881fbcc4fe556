import Markets

/// When something was watched: the time between answers, except where they are too far apart. Times are in milliseconds.
///
/// Adding an answer and reading a sum take the same time whatever the length of the past.
struct WatchGaps: Sendable {
    private struct Gap: Sendable {
        var start: Int64
        var end: Int64
        /// The length of this gap and of all before it.
        var sum: Int64
    }

    private var gaps: [Gap] = []
    /// The first answer ever; nil before it.
    private(set) var begun: Int64?
    private(set) var lastAnswer: Int64 = .min
    /// The last answer was a backfilled price.
    private var lastIsBackfilled = false

    /// Providers return past prices about once an hour: backfilled prices up to this far apart leave no gap.
    static let backfilledStep: Int64 = 2 * 3_600_000

    /// Adds an answer with a price; ignores one that is not later than the last.
    ///
    /// - Parameter longestStep: Answers further apart leave a gap. Nil: backfilled.
    mutating func answered(at now: Int64, longestStep: Int64?) {
        guard now > lastAnswer else { return }
        let isBackfilled = lastIsBackfilled || longestStep == nil
        lastIsBackfilled = longestStep == nil
        if begun == nil {
            begun = now
        } else if now - lastAnswer > max(longestStep ?? 0, isBackfilled ? Self.backfilledStep : 0) {
            gaps.append(Gap(start: lastAnswer, end: now, sum: (gaps.last?.sum ?? 0) + now - lastAnswer))
        }
        lastAnswer = now
    }

    /// How much of the time from `start` to the last answer was watched.
    func watched(from start: Int64) -> Int64 {
        guard let begun else { return 0 }
        let from = max(start, begun)
        let whole = max(0, lastAnswer - from)
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
