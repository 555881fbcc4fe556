import Foundation
import Markets

/// How often and how soon a request is repeated within one poll: exponential backoff with full jitter.
public struct RetryPolicy: Sendable, Hashable {
    /// Requests a page in one poll, the first included; at least 1.
    public var attempts: Int
    public var base: Duration
    public var cap: Duration

    public init(attempts: Int = 3, base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
        self.attempts = max(1, attempts)
        self.base = base
        self.cap = cap
    }

    public enum Decision: Sendable, Hashable {
        case retry(after: Duration)
        case stop(Reason)
    }

    public enum Reason: Sendable, Hashable {
        case notRetryable
        case attemptsUsed
        /// What would have to be waited for lies beyond the poll's end.
        case waitTooLong
    }

    /// Decides after request number `attempt` (from 1) failed.
    ///
    /// - Parameters:
    ///   - remaining: what is left of the poll.
    ///   - random: from 0 up to, not including, 1.
    public func decide(
        after attempt: Int, _ error: FeedError, remaining: Duration, now: Date, random: Double
    ) -> Decision {
        guard error.isRetryable else { return .stop(.notRetryable) }
        guard attempt < attempts else { return .stop(.attemptsUsed) }
        let delay = max(jitter(beforeRequest: attempt + 1, random: random), error.retryAfter(now) ?? .zero)
        return delay < remaining ? .retry(after: delay) : .stop(.waitTooLong)
    }

    /// Random in [0, min(cap, base × 2^(n−2))] before request n, from the second on.
    public func jitter(beforeRequest n: Int, random: Double) -> Duration {
        let doublings = min(max(0, n - 2), 40)
        let longest = min(cap.inSeconds, base.inSeconds * Double(1 << doublings))
        return .milliseconds(Int64(longest * 1000 * min(max(0, random), 1)))
    }
}
