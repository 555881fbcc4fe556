import Foundation
import Markets

/// A number of requests that has to last for a calendar month (UTC).
public struct Quota: Sendable, Hashable {
    public var requestsPerMonth: Int

    public init(requestsPerMonth: Int) { self.requestsPerMonth = requestsPerMonth }

    /// What polling costs in the longest month: pages × 31 days / `every`, rounded up.
    public static func cost(pages: Int, every: Duration) -> Int {
        guard every > .zero else { return .max }
        return Int((Double(pages) * Duration.hours(24 * 31).inSeconds / every.inSeconds).rounded(.up))
    }

    /// The interval between polls at which the quota lasts to the month's end: `every`, or longer. What is left is
    /// spread evenly over what is left of the month; with nothing left it reaches to the month's end.
    public func interval(every: Duration, pages: Int, used: Int, now: Date) -> Duration {
        let rest = UTCMonth(now).end.since(now)
        let polls = (requestsPerMonth - used) / max(1, pages)
        guard polls > 0 else { return max(every, rest) }
        return max(every, .milliseconds(Int64((Double(rest.inMilliseconds) / Double(polls)).rounded(.up))))
    }

    /// When the quota is used up at that interval, or nil where it outlasts the month.
    public func end(interval: Duration, pages: Int, used: Int, now: Date) -> Date? {
        let polls = max(0, (requestsPerMonth - used) / max(1, pages))
        let lasts = Double(polls) * interval.inSeconds
        // The stretched interval meets the month's end to a rounding error of doubles.
        let rest = UTCMonth(now).end.since(now).inSeconds
        return lasts < rest - 1 ? now.addingTimeInterval(lasts) : nil
    }
}
