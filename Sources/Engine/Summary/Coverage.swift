import Foundation
import Markets

/// Which part of a window was watched: the time between usable polls that follow each other closely enough, by the
/// interval that was in force.
package struct Coverage: Sendable {
    let window: Duration
    /// The time between two polls as configured.
    private let every: Duration
    /// Two polls further apart leave a gap, by the interval in force at the newest.
    package private(set) var longestStep: Duration
    private var polls = WatchGaps()

    init(window: Duration, every: Duration) {
        self.window = window
        self.every = every
        longestStep = every * 2
    }

    /// Adds a usable poll; ignores one that is not later than the last (the clock was set back).
    ///
    /// - Parameter interval: the poll interval in force; zero: as configured.
    mutating func add(_ poll: Date, interval: Duration = .zero) {
        longestStep = max(every, interval) * 2
        polls.answered(at: poll.milliseconds, longestStep: longestStep.inMilliseconds)
        polls.forget(before: poll.milliseconds - window.inMilliseconds)
    }

    /// The first usable poll; nil before it.
    var begun: Date? { polls.begun.map { Date(milliseconds: $0) } }

    /// How much of the window that ends at `now` was watched, in milliseconds.
    private func watched(at now: Date) -> Int64 {
        let (end, length) = (now.milliseconds, window.inMilliseconds)
        let sinceLast = end - max(polls.lastAnswer, end - length)
        let untilNow = sinceLast <= longestStep.inMilliseconds ? sinceLast : 0
        return max(0, min(length, polls.watched(from: end - length) + untilNow))
    }

    /// The share of several sources' windows, all of one length, each counted as often as it has markets; with one
    /// decimal, rounded down, so that 100 % means all of it.
    package static func share(of sources: [(coverage: Coverage, markets: Int)], at now: Date) -> Percent {
        var (covered, whole): (Int64, Int64) = (0, 0)
        for (coverage, markets) in sources {
            covered += coverage.watched(at: now) * Int64(markets)
            whole += coverage.window.inMilliseconds * Int64(markets)
        }
        return Percent(hundredths: whole > 0 ? covered * 1000 / whole * 10 : 0)
    }
}
