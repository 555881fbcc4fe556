import Foundation
import Markets

/// Which part of a window was watched: the time between usable polls that follow each other closely enough, by the
/// interval that was in force.
///
/// Adding a poll and reading the share take the same time whatever the window's length.
package struct Coverage: Sendable {
    package let window: Duration
    /// The time between two polls as configured.
    private let every: Duration
    /// Two polls further apart leave a gap, by the interval in force at the newest.
    package private(set) var longestStep: Duration
    private var polls: [Poll] = []
    private var first = 0
    private var covered: Int64 = 0

    private struct Poll: Sendable {
        var at: Int64
        /// The time since the poll before was watched.
        var isNext: Bool
    }

    /// - Parameter every: The time between two polls as configured.
    package init(window: Duration, every: Duration) {
        self.window = window
        self.every = every
        longestStep = every * 2
    }

    /// Adds a usable poll; ignores one that is not later than the last (the clock was set back).
    ///
    /// - Parameter interval: the poll interval in force; zero: as configured.
    package mutating func add(_ poll: Date, interval: Duration = .zero) {
        let poll = poll.milliseconds
        let last = polls.last?.at
        if let last, poll <= last { return }
        longestStep = max(every, interval) * 2
        let isNext = last.map { poll - $0 <= longestStep.inMilliseconds } ?? false
        if let last, isNext { covered += poll - last }
        polls.append(Poll(at: poll, isNext: isNext))
        forget(before: poll - window.inMilliseconds)
    }

    /// The share of the window that ends at `now`.
    package func share(at now: Date) -> CoverageShare {
        CoverageShare(covered: watched(at: now), of: window.inMilliseconds)
    }

    /// How much of the window was watched, in milliseconds.
    private func watched(at now: Date) -> Int64 {
        let end = now.milliseconds
        let start = end - window.inMilliseconds
        var sum = covered
        var index = first
        // Skips polls before the window: they are removed only when the next poll is added.
        while index + 1 < polls.count, polls[index].at < start {
            sum -= step(to: index + 1)
            if polls[index + 1].at > start, polls[index + 1].isNext { sum += polls[index + 1].at - start }
            index += 1
        }
        if let last = polls.last?.at, last < end {
            let from = max(last, start)
            if end - from <= longestStep.inMilliseconds { sum += end - from }
        }
        return max(0, min(window.inMilliseconds, sum))
    }

    /// How much of the time from the poll before was watched.
    private func step(to index: Int) -> Int64 {
        polls[index].isNext ? polls[index].at - polls[index - 1].at : 0
    }

    /// Keeps one poll from before the window, whose step may reach into it.
    private mutating func forget(before start: Int64) {
        while first + 1 < polls.count, polls[first + 1].at <= start {
            covered -= step(to: first + 1)
            first += 1
        }
        if first > 1024, first > polls.count / 2 {
            polls.removeFirst(first)
            first = 0
        }
    }
}

extension Coverage {
    /// The share of several sources' windows, all of one length, each counted as often as it has markets.
    package static func share(of sources: [(coverage: Coverage, markets: Int)], at now: Date) -> CoverageShare {
        var (covered, whole): (Int64, Int64) = (0, 0)
        for (coverage, markets) in sources {
            covered += coverage.watched(at: now) * Int64(markets)
            whole += coverage.window.inMilliseconds * Int64(markets)
        }
        return CoverageShare(covered: covered, of: whole)
    }
}

/// A share in percent with one decimal, rounded down, so that 100 means all of it.
package struct CoverageShare: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 1000.
    package let tenths: Int

    package init(tenths: Int) { self.tenths = tenths }

    init(covered: Int64, of whole: Int64) {
        tenths = whole > 0 ? Int(covered * 1000 / whole) : 0
    }

    package var description: String {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
