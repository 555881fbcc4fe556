import Feeds
import Foundation
import Markets

/// How often the provider is asked: as configured, or less often where the month's quota would not last.
struct Pace: Sendable {
    let every: Duration
    /// Requests a poll.
    let pages: Int
    let quota: Quota?
    /// In force now.
    private(set) var interval: Duration
    /// When the quota is used up at that interval; nil where it outlasts the month.
    private(set) var quotaEnd: Date?
    private(set) var used = 0

    init(every: Duration, pages: Int, quota: Quota?) {
        self.every = every
        self.pages = pages
        self.quota = quota
        interval = every
    }

    /// - Parameter used: requests sent in the month of `now`.
    mutating func adjust(used: Int, now: Date) {
        self.used = used
        guard let quota else { return }
        let needed = quota.interval(every: every, pages: pages, used: used, now: now)
        // In whole seconds, so that the beat does not change with every request.
        interval = needed > every ? .seconds((needed.inMilliseconds + 999) / 1000) : every
        quotaEnd = quota.end(interval: interval, pages: pages, used: used, now: now)
    }

    /// Why the interval is longer than the owner asked for.
    var stretched: String? {
        guard interval > every, let quota else { return nil }
        return "asked every \(interval.unitsText) instead of \(every.unitsText), so that \(quota.requestsPerMonth) "
            + "requests last for the month (\(used) are used)"
    }
}
