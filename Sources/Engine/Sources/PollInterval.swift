import Foundation
import Markets

/// The poll interval of a feed: as configured, or longer if the monthly quota would not last.
struct PollInterval: Hashable, Sendable {
    let every: Duration
    /// Requests per poll.
    let pages: Int
    let quota: Quota?
    /// In force now.
    private(set) var current: Duration
    /// When the quota is used up at that interval; nil if it outlasts the month.
    private(set) var quotaEnd: Date?
    private var used = 0

    init(_ member: SourceSettings.Member, every: Duration) {
        self.every = max(every, member.every)
        pages = member.pages
        quota = member.quota.map(Quota.init(requestsPerMonth:))
        current = self.every
    }

    /// - Parameter used: requests sent in the month of `now`.
    mutating func adjust(used: Int, now: Date) {
        self.used = used
        guard let quota else { return }
        let needed = quota.interval(every: every, pages: pages, used: used, now: now)
        // In whole seconds, so that the timer does not change with every request.
        current = needed > every ? .seconds((needed.inMilliseconds + 999) / 1000) : every
        quotaEnd = quota.end(interval: current, pages: pages, used: used, now: now)
    }

    /// Why the interval is longer than configured; nil if it is not.
    var throttle: String? {
        guard current > every, let quota else { return nil }
        return "asked every \(current.unitsText) instead of \(every.unitsText), so that \(quota.requestsPerMonth) "
            + "requests last for the month (\(used) are used)"
    }
}

/// A number of requests that has to last for a calendar month (UTC).
package struct Quota: Sendable, Hashable {
    package var requestsPerMonth: Int

    package init(requestsPerMonth: Int) { self.requestsPerMonth = requestsPerMonth }

    /// What polling costs in the longest month: pages × 31 days / `every`, rounded up.
    package static func cost(pages: Int, every: Duration) -> Int {
        guard every > .zero else { return .max }
        return Int((Double(pages) * Duration.hours(24 * 31).inSeconds / every.inSeconds).rounded(.up))
    }

    /// The poll interval at which the quota lasts to the month's end, at least `every`. The remaining requests are
    /// spread evenly over the rest of the month; with none left, the interval is the rest of the month.
    package func interval(every: Duration, pages: Int, used: Int, now: Date) -> Duration {
        let rest = UTCMonth(now).end.since(now)
        let polls = (requestsPerMonth - used) / max(1, pages)
        guard polls > 0 else { return max(every, rest) }
        return max(every, .milliseconds(Int64((Double(rest.inMilliseconds) / Double(polls)).rounded(.up))))
    }

    /// When the quota is used up at that interval; nil if it outlasts the month.
    package func end(interval: Duration, pages: Int, used: Int, now: Date) -> Date? {
        let polls = max(0, (requestsPerMonth - used) / max(1, pages))
        let lasts = Double(polls) * interval.inSeconds
        // A throttled interval ends at the month's end up to a rounding error of doubles.
        let rest = UTCMonth(now).end.since(now).inSeconds
        return lasts < rest - 1 ? now.addingTimeInterval(lasts) : nil
    }
}
