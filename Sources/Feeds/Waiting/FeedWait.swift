import Foundation
import Markets

/// Until when a feed is not asked, and why. Kept across restarts, so that a restart loop never hammers.
public struct FeedWait: Hashable, Sendable, Codable {
    /// Nothing is sent before, by the daemon.
    public var until: Date
    /// What the provider itself named; nil where the wait is our own caution.
    public var namedUntil: Date?
    public var cause: FeedError.Kind
    public var message: String
    /// The first answer of the unbroken series that this wait continues.
    public var since: Date
    /// Answers in that series.
    public var count: Int
    /// The setting of URL and key that was refused; another one is tried at once.
    public var mark: UInt32

    public init(
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

    /// True where the provider refuses us altogether, until somebody acts.
    public var isBlock: Bool { [.unauthorized, .forbidden, .blocked].contains(cause) }
}

/// Which waits hold.
public enum WaitObedience: Sendable, Hashable {
    case all
    /// Those that the provider named, not our own back-off or block: for a single poll that somebody asked for.
    case namedOnly
}

extension FeedWait {
    /// A rate limit that lasts this long is taken for an exhausted month.
    static let lasting = Duration.minutes(5)
    private static let longestBlock = Duration.hours(12)
    private static let longestQuotaWait = Duration.hours(6)

    /// The moment before which nothing is sent, or nil where that is past.
    ///
    /// A time that no rule here could have set comes from a clock that was wrong, and does not hold.
    func end(_ now: Date, _ obedience: WaitObedience, mark: UInt32) -> Date? {
        let own = obedience == .all && mark == self.mark ? until : nil
        guard let end = [own, namedUntil].compactMap({ $0 }).max(), end > now else { return nil }
        return end.since(now) <= .hours(24 * 33) ? end : nil
    }

    /// The wait that `error` asks for, or nil where the feed may be asked at the next tick.
    ///
    /// - Parameter previous: the wait before, if no good answer came in between.
    static func after(_ error: FeedError, previous: FeedWait?, now: Date, mark: UInt32) -> FeedWait? {
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
            own = max(own, now + doubling(Classification.shortestRateWait, count - 1, longest: lasting))
        }
        return FeedWait(
            until: own, namedUntil: named, cause: kind, message: error.message, since: since, count: count, mark: mark)
    }

    private static func doubling(_ first: Duration, _ times: Int, longest: Duration) -> Duration {
        min(first * (1 << min(max(0, times), 20)), longest)
    }
}
