import Foundation
import Markets

/// The number and delays of retries within one poll: exponential backoff with full jitter.
package struct RetryPolicy: Sendable, Hashable {
    /// Requests for each page in one poll, including the first; at least 1.
    package var attempts: Int
    package var base: Duration
    package var cap: Duration

    package init(attempts: Int = 3, base: Duration = .seconds(1), cap: Duration = .seconds(30)) {
        self.attempts = attempts
        self.base = base
        self.cap = cap
    }

    /// The pause after request number `attempt` (from 1) failed: random in [0, min(cap, base × 2^(attempt − 1))], but
    /// not shorter than the provider demands. Nil if no further request follows.
    ///
    /// - Parameters:
    ///   - remaining: the time left for the poll.
    ///   - random: from 0 up to, not including, 1.
    func pause(
        after attempt: Int, _ error: FeedError, remaining: Duration, now: Date, random: Double
    ) -> Duration? {
        guard error.isRetryable, attempt < attempts else { return nil }
        let longest = min(cap.inSeconds, base.inSeconds * Double(1 << min(attempt - 1, 40)))
        let demanded = error.notBefore?.at.since(now) ?? .zero
        let pause = max(.milliseconds(Int64(longest * 1000 * random)), demanded)
        return pause < remaining ? pause : nil
    }
}

/// How long a feed must not be polled, and why. Stored, so that a restart loop does not flood the provider.
package struct StoredCooldown: Hashable, Sendable, Codable {
    /// The daemon sends nothing before.
    package var until: Date
    /// The time that the provider named; nil if the cooldown is our own back-off.
    package var namedUntil: Date?
    var cause: FeedError.Kind
    package var message: String
    /// The first failure of the series that this cooldown continues.
    var since: Date
    /// Failures in that series.
    var count: Int
    /// A hash of the URL and key that were refused; others are tried at once.
    var mark: UInt32

    /// True if the provider refuses all requests until the owner acts.
    var isBlock: Bool { Self.blocks.contains(cause) }
}

/// Which cooldowns to respect.
package enum CooldownScope: Sendable, Hashable {
    case all
    /// Those that the provider named, not our own back-off or block: for a single poll on request.
    case namedOnly
}

extension StoredCooldown {
    private static let blocks: Set<FeedError.Kind> = [.unauthorized, .forbidden, .blocked]
    /// A rate limit that lasts this long is treated as an exhausted monthly quota.
    private static let lasting = Duration.minutes(5)
    static let usualBlocks = Duration.minutes(15)...(.hours(12))
    private static let longestQuotaWait = Duration.hours(6)

    /// The time before which nothing is sent; nil if it has passed.
    ///
    /// A time farther away than any rule here sets comes from a wrong clock, and is ignored.
    func end(_ now: Date, _ scope: CooldownScope, mark: UInt32) -> Date? {
        let own = scope == .all && mark == self.mark ? until : nil
        guard let end = [own, namedUntil].compactMap({ $0 }).max(), end > now else { return nil }
        return end.since(now) <= .hours(24 * 33) ? end : nil
    }

    /// The cooldown that `error` requires; nil if the feed may be polled on schedule.
    ///
    /// - Parameters:
    ///   - previous: the last cooldown, if no success came in between.
    ///   - blocked: see `Provider.blocks`.
    static func after(
        _ error: FeedError, previous: StoredCooldown?, now: Date, mark: UInt32,
        blocked: ClosedRange<Duration> = usualBlocks
    ) -> StoredCooldown? {
        let isBlock = error.scope == .feed && blocks.contains(error.kind)
        guard isBlock || error.notBefore != nil else { return nil }
        let continued = previous.flatMap { $0.isBlock == isBlock && $0.mark == mark ? $0 : nil }
        let since = continued?.since ?? now
        let count = (continued?.count ?? 0) + 1
        let named = error.notBefore.flatMap { $0.isNamed ? $0.at : nil }
        var cause = error.kind
        var own = Duration.zero
        if isBlock {
            own = doubling(blocked.lowerBound, count - 1, longest: blocked.upperBound)
        } else if cause == .quota || (cause == .rateLimited && count >= 3 && now.since(since) >= lasting) {
            cause = .quota
            own = min(max(.hours(1), now.since(since)), longestQuotaWait)
        } else if cause == .rateLimited, named == nil {
            own = doubling(NotBefore.shortestRateWait, count - 1, longest: lasting)
        }
        return StoredCooldown(
            until: max(error.notBefore?.at ?? now, now + own), namedUntil: named, cause: cause,
            message: error.message, since: since, count: count, mark: mark)
    }

    private static func doubling(_ first: Duration, _ times: Int, longest: Duration) -> Duration {
        min(first * (1 << min(times, 20)), longest)
    }
}

/// What feeds remember across restarts; implemented by the store.
///
/// Nothing throws: an implementation that cannot write keeps the values in memory and reports the error itself, since
/// polling goes on.
package protocol FeedMemory: Sendable {
    /// The cooldown of a feed; nil if there is none.
    func wait(of feed: String) async -> StoredCooldown?
    /// Nil deletes it.
    func keep(_ wait: StoredCooldown?, of feed: String) async
    /// Adds one to the requests of this month, before the request is sent, and returns the new count.
    func countRequest(of feed: String, in month: UTCMonth) async -> Int
    func requests(of feed: String, in month: UTCMonth) async -> Int
    /// A body stored under a name that identifies the request, such as its URL without secrets; for id lists.
    func storedBody(_ name: String, of feed: String) async -> StoredBody?
    func keep(_ body: StoredBody, _ name: String, of feed: String) async
}

/// By default no bodies are stored: polls and past prices need none.
extension FeedMemory {
    package func storedBody(_ name: String, of feed: String) async -> StoredBody? { nil }
    package func keep(_ body: StoredBody, _ name: String, of feed: String) async {}
}

/// Remembers until the process ends: for tests, and if nothing may be written.
package actor TransientMemory: FeedMemory {
    private var waits: [String: StoredCooldown] = [:]
    private var counts: [String: [UTCMonth: Int]] = [:]
    private var bodies: [String: [String: StoredBody]] = [:]

    package init() {}

    package func wait(of feed: String) -> StoredCooldown? { waits[feed] }

    package func keep(_ wait: StoredCooldown?, of feed: String) { waits[feed] = wait }

    package func countRequest(of feed: String, in month: UTCMonth) -> Int {
        counts[feed, default: [:]][month, default: 0] += 1
        return requests(of: feed, in: month)
    }

    package func requests(of feed: String, in month: UTCMonth) -> Int { counts[feed]?[month] ?? 0 }

    package func storedBody(_ url: String, of feed: String) -> StoredBody? { bodies[feed]?[url] }

    package func keep(_ body: StoredBody, _ url: String, of feed: String) { bodies[feed, default: [:]][url] = body }
}
