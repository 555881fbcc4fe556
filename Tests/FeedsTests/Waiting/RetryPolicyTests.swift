import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Retry policy")
struct RetryPolicyTests {
    let policy = RetryPolicy(attempts: 8, base: .seconds(1), cap: .seconds(30))
    let now = Date(timeIntervalSince1970: 1_763_719_200)

    func error(retryable: Bool = true, after seconds: Double? = nil) -> FeedError {
        FeedError(
            .server, operation: "get x", cause: "down", isRetryable: retryable,
            notBefore: seconds.map { NotBefore(at: now.addingTimeInterval($0), isNamed: true) })
    }

    @Test(arguments: [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 16.0), (6, 30.0), (7, 30.0)])
    func theLongestPauseDoublesUpToTheCap(_ attempt: Int, _ seconds: Double) {
        let longest = policy.decide(after: attempt, error(), remaining: .seconds(600), now: now, random: 1)
        #expect(longest == .retry(after: .milliseconds(Int64(seconds * 1000))))
        let half = policy.decide(after: attempt, error(), remaining: .seconds(600), now: now, random: 0.5)
        #expect(half == .retry(after: .milliseconds(Int64(seconds * 500))))
        let none = policy.decide(after: attempt, error(), remaining: .seconds(600), now: now, random: 0)
        #expect(none == .retry(after: .zero))
    }

    @Test func stops() {
        #expect(policy.decide(after: 8, error(), remaining: .seconds(600), now: now, random: 0) == .stop(.attemptsUsed))
        #expect(
            policy.decide(after: 1, error(retryable: false), remaining: .seconds(600), now: now, random: 0)
                == .stop(.notRetryable))
        #expect(policy.decide(after: 1, error(), remaining: .seconds(1), now: now, random: 1) == .stop(.waitTooLong))
        #expect(
            RetryPolicy(attempts: 0).decide(after: 1, error(), remaining: .seconds(9), now: now, random: 0)
                == .stop(.attemptsUsed))
    }

    @Test func obeysWhatTheProviderNames() {
        let hinted = error(after: 12)
        #expect(
            policy.decide(after: 1, hinted, remaining: .seconds(60), now: now, random: 1) == .retry(after: .seconds(12))
        )
        #expect(policy.decide(after: 1, hinted, remaining: .seconds(12), now: now, random: 1) == .stop(.waitTooLong))
        // A hint shorter than the backoff does not shorten it.
        #expect(
            policy.decide(after: 4, error(after: 2), remaining: .seconds(60), now: now, random: 1)
                == .retry(after: .seconds(8)))
    }
}
