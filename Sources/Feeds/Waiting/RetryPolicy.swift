import Foundation
import HTTP
import Markets

/// The number and delays of retries within one poll: exponential backoff with full jitter.
package struct RetryPolicy: Sendable, Hashable {
    /// Requests for each page in one poll, including the first; at least 1.
    package var attempts: Int
    package var base: Duration
    package var cap: Duration

    package init(attempts: Int = 3, base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
        self.attempts = max(1, attempts)
        self.base = base
        self.cap = cap
    }

    package enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case stop(Reason)
    }

    package enum Reason: Sendable, Hashable {
        case notRetryable
        case attemptsUsed
        /// The required wait exceeds the poll's end.
        case waitTooLong
    }

    /// Decides after request number `attempt` (from 1) failed.
    ///
    /// - Parameters:
    ///   - remaining: the time left for the poll.
    ///   - random: from 0 up to, not including, 1.
    package func decide(
        after attempt: Int, _ error: FeedError, remaining: Duration, now: Date, random: Double
    ) -> Decision {
        guard error.isRetryable else { return .stop(.notRetryable) }
        guard attempt < attempts else { return .stop(.attemptsUsed) }
        let delay = max(jitter(beforeRequest: attempt + 1, random: random), error.retryAfter(now) ?? .zero)
        return delay < remaining ? .retry(after: delay) : .stop(.waitTooLong)
    }

    /// Random in [0, min(cap, base × 2^(n−2))] before request n, from the second on.
    package func jitter(beforeRequest n: Int, random: Double) -> Duration {
        let doublings = min(max(0, n - 2), 40)
        let longest = min(cap.inSeconds, base.inSeconds * Double(1 << doublings))
        return .milliseconds(Int64(longest * 1000 * min(max(0, random), 1)))
    }
}
