import Foundation
import Markets

/// How long a feed must not be polled, and why. Stored, so that a restart loop does not flood the provider.
package struct StoredCooldown: Hashable, Sendable, Codable {
    /// The daemon sends nothing before.
    package var until: Date
    /// The time that the provider named; nil if the cooldown is our own back-off.
    package var namedUntil: Date?
    package var cause: FeedError.Kind
    package var message: String
    /// The first failure of the series that this cooldown continues.
    package var since: Date
    /// Failures in that series.
    package var count: Int
    /// A hash of the URL and key that were refused; others are tried at once.
    package var mark: UInt32

    package init(
        until: Date, namedUntil: Date?, cause: FeedError.Kind, message: String, since: Date, count: Int, mark: UInt32
    ) {
        self.until = until
        self.namedUntil = namedUntil
        self.cause = cause
        self.message = message
        self.since = since
        self.count = count
        self.mark = mark
    }

    /// True if the provider refuses all requests until the owner acts.
    package var isBlock: Bool { [.unauthorized, .forbidden, .blocked].contains(cause) }
}

/// Which cooldowns to respect.
package enum CooldownScope: Sendable, Hashable {
    case all
    /// Those that the provider named, not our own back-off or block: for a single poll on request.
    case namedOnly
}

extension StoredCooldown {
    /// A rate limit that lasts this long is treated as an exhausted monthly quota.
    static let lasting = Duration.minutes(5)
    private static let longestBlock = Duration.hours(12)
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
    /// - Parameter previous: the last cooldown, if no success came in between.
    static func after(_ error: FeedError, previous: StoredCooldown?, now: Date, mark: UInt32) -> StoredCooldown? {
        let isBlock = error.scope == .feed && [.unauthorized, .forbidden, .blocked].contains(error.kind)
        guard isBlock || error.notBefore != nil else { return nil }
        let continues = previous.map { $0.isBlock == isBlock && $0.mark == mark } ?? false
        let since = continues ? previous?.since ?? now : now
        let count = continues ? (previous?.count ?? 0) + 1 : 1
        let named = error.notBefore.flatMap { $0.isNamed ? $0.at : nil }
        var kind = error.kind
        var own = error.notBefore?.at ?? now
        if isBlock {
            own = max(own, now + doubling(.minutes(15), count - 1, longest: longestBlock))
        } else if kind == .quota || (kind == .rateLimited && count >= 3 && now.since(since) >= lasting) {
            let lastingFor = now.since(since)
            kind = .quota
            own = max(own, now + min(max(.hours(1), lastingFor), longestQuotaWait))
        } else if kind == .rateLimited, named == nil {
            own = max(own, now + doubling(NotBefore.shortestRateWait, count - 1, longest: lasting))
        }
        return StoredCooldown(
            until: own, namedUntil: named, cause: kind, message: error.message, since: since, count: count, mark: mark)
    }

    private static func doubling(_ first: Duration, _ times: Int, longest: Duration) -> Duration {
        min(first * (1 << min(max(0, times), 20)), longest)
    }
}
