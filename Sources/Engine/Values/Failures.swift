import Foundation
import Markets

/// Consecutive failures, and which of them are logged: the 1st, 2nd, 4th, 8th … and one a day.
package struct FailureCount: Hashable, Sendable {
    package private(set) var count = 0
    private var loggedAt: Date?
    /// Whether the last failure was to be logged; true without one.
    private(set) var isLogged = true

    package init() {}

    /// Counts a failure; true if it is to be logged.
    package mutating func add(at now: Date) -> Bool {
        count += 1
        let isPowerOfTwo = count & (count - 1) == 0
        isLogged = isPowerOfTwo || loggedAt.map { now.since($0) >= .hours(24) } ?? true
        if isLogged { loggedAt = now }
        return isLogged
    }

    /// Resets the count; returns the count before.
    package mutating func reset() -> Int {
        defer { self = FailureCount() }
        return count
    }
}

enum Backoff {
    /// The wait after `failures` consecutive failures (at least 1), exponential with jitter: 50 to 100 % of
    /// 1 s × 2^(failures−1), at most of `longest`.
    ///
    /// - Parameter random: from 0 up to 1.
    static func wait(after failures: Int, atMost longest: Duration, random: Double) -> Duration {
        let wait = min(longest.inSeconds, Double(1 << min(max(0, failures - 1), 40)))
        return .milliseconds(Int64(wait * (0.5 + min(max(0, random), 1) / 2) * 1000))
    }
}
