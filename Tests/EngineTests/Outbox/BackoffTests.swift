import Markets
import Testing

@testable import Engine

@Suite struct BackoffTests {
    @Test(
        "it doubles from a second to five minutes, and no two wait alike",
        arguments: [(1, 500, 1000), (2, 1000, 2000), (3, 2000, 4000), (9, 128_000, 256_000), (10, 150_000, 300_000)]
            + [(100, 150_000, 300_000)])
    func doubling(failures: Int, least: Int, most: Int) {
        #expect(ChannelQueue.backoff(after: failures, random: 0) == .milliseconds(least))
        #expect(ChannelQueue.backoff(after: failures, random: 1) == .milliseconds(most))
        let between = ChannelQueue.backoff(after: failures, random: 0.5)
        #expect(between > .milliseconds(least) && between < .milliseconds(most))
    }
}
