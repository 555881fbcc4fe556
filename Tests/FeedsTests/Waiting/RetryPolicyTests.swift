import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Retry policy")
struct RetryPolicyTests {
    let policy = RetryPolicy(attempts: 8, base: .seconds(1), cap: .seconds(30))
    let now = Date(timeIntervalSince1970: 1_763_719_200)

    func error(retryable: Bool = true, after seconds: Double? = nil) -> FeedError {
        var error = FeedError(.server, "down", isRetryable: retryable)
        error.notBefore = seconds.map { NotBefore(at: now.addingTimeInterval($0), isNamed: true) }
        return error
    }

    @Test(arguments: [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 16.0), (6, 30.0), (7, 30.0)])
    func theLongestPauseDoublesUpToTheCap(_ attempt: Int, _ seconds: Double) {
        let longest = policy.pause(after: attempt, error(), remaining: .seconds(600), now: now, random: 1)
        #expect(longest == .milliseconds(Int64(seconds * 1000)))
        let half = policy.pause(after: attempt, error(), remaining: .seconds(600), now: now, random: 0.5)
        #expect(half == .milliseconds(Int64(seconds * 500)))
        let none = policy.pause(after: attempt, error(), remaining: .seconds(600), now: now, random: 0)
        #expect(none == .zero)
    }

    @Test func stops() {
        #expect(policy.pause(after: 8, error(), remaining: .seconds(600), now: now, random: 0) == nil)
        #expect(
            policy.pause(after: 1, error(retryable: false), remaining: .seconds(600), now: now, random: 0)
                == nil)
        #expect(policy.pause(after: 1, error(), remaining: .seconds(1), now: now, random: 1) == nil)
        #expect(
            RetryPolicy(attempts: 0).pause(after: 1, error(), remaining: .seconds(9), now: now, random: 0)
                == nil)
    }

    @Test func obeysWhatTheProviderNames() {
        let hinted = error(after: 12)
        #expect(
            policy.pause(after: 1, hinted, remaining: .seconds(60), now: now, random: 1) == .seconds(12)
        )
        #expect(policy.pause(after: 1, hinted, remaining: .seconds(12), now: now, random: 1) == nil)
        // A hint shorter than the backoff does not shorten it.
        #expect(
            policy.pause(after: 4, error(after: 2), remaining: .seconds(60), now: now, random: 1)
                == .seconds(8))
    }
}
