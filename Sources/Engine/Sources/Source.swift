import Foundation
import Markets

/// The feeds that markets are asked of, in order of preference: when they are polled, which of them serves, and how
/// their polls went.
struct Source: Sendable {
    let settings: SourceSettings
    /// The poll that is running or was the last; nil before the first.
    private var polling: FeedPolling?
    private(set) var failover: Failover
    /// One per feed of the source.
    private(set) var intervals: [PollInterval]
    /// Uptime of the next poll; changes of the wall clock do not affect it.
    var dueAt = Duration.zero
    /// The interval by which `dueAt` was set; gaps between polls are measured by it.
    var step: Duration
    var failures = FailureCount()
    /// The error of the last failed poll.
    private(set) var lastError: PollError?
    private(set) var clockFault: String?
    /// When its newest usable poll began.
    private(set) var lastUsable: Date?
    /// When it was first polled; used if it never answered.
    private var knownSince: Date
    private var maxAgeLogged = false
    /// The end of the last wait that was logged.
    private var loggedWait: Date?

    init(_ settings: SourceSettings, lastUsable: Date?, knownSince: Date) {
        self.settings = settings
        failover = Failover(feeds: settings.members.count, every: settings.every)
        intervals = settings.members.map { PollInterval($0, every: settings.every) }
        step = intervals[0].current
        self.lastUsable = lastUsable
        self.knownSince = knownSince
    }

    var id: SourceID { settings.id }
    /// The feed whose prices are taken.
    var serving: SourceSettings.Member { settings.members[failover.serving] }
    var isStandby: Bool { failover.serving > 0 }
    /// The interval in force.
    var interval: PollInterval { intervals[failover.serving] }
    /// The last usable answer; if there never was one, when it was first polled.
    var silentSince: Date { lastUsable ?? knownSince }

    /// A timer that fires slightly early must not delay the poll by a whole interval.
    func isDue(at uptime: Duration) -> Bool { dueAt <= uptime + min(.seconds(1), interval.current / 4) }

    func delay(at uptime: Duration) -> Duration { max(.zero, dueAt - uptime) }
}

// MARK: A poll

extension Source {
    /// Starts a poll. Returns the first feed to ask, or `.done` if none can be asked.
    mutating func begin(ranking: [MarketID], ignoringCooldown: Bool, at now: Moment) -> FeedPolling.Step {
        var polling = FeedPolling(
            failover.plan(at: now.wall), settings, ranking: ranking, ignoringCooldown: ignoringCooldown, at: now)
        defer { self.polling = polling }
        return polling.next(&failover, at: now)
    }

    /// Records how the request to one feed ended, and returns the next step.
    mutating func proceed(after result: PollResult, at now: Moment) -> FeedPolling.Step? {
        polling?.note(result, &failover, at: now)
        return polling?.next(&failover, at: now)
    }

    /// Records how the poll ended.
    mutating func end(_ poll: TakenPoll, at started: Date) {
        clockFault = poll.clockFault
        if poll.isUsable { lastUsable = started } else { lastError = poll.error }
    }

    /// True the first time that the provider's max-age exceeds the interval. The interval does not change.
    mutating func mustLog(maxAge: Duration) -> Bool {
        guard !maxAgeLogged, maxAge > step else { return false }
        maxAgeLogged = true
        return true
    }

    /// True the first time that a wait until then is met, if the failure that caused it was logged.
    mutating func mustLog(waitUntil until: Date) -> Bool {
        // A time that is computed again differs by less than a millisecond.
        guard failures.isLogged, until.since(loggedWait ?? .distantPast) > .milliseconds(1) else { return false }
        loggedWait = until
        return true
    }

    /// Schedules the next poll one interval later; skips times that have passed.
    mutating func schedule(at uptime: Duration) {
        let missed = max(.zero, uptime - dueAt)
        dueAt += interval.current * (1 + Int(missed / interval.current))
        step = interval.current
    }

    mutating func adjust(_ feeds: [String: FeedState], at now: Date) {
        for (place, member) in settings.members.enumerated() {
            intervals[place].adjust(used: feeds[member.feed]?.requests(inMonthOf: now) ?? 0, now: now)
        }
    }

    /// Takes over the state of the source before a reload.
    mutating func resume(_ before: Source, _ feeds: [String: FeedState], at now: Moment) {
        if before.settings.members.map(\.feed) == settings.members.map(\.feed) { failover.resume(before.failover) }
        adjust(feeds, at: now.wall)
        failures = before.failures
        lastError = before.lastError
        clockFault = before.clockFault
        lastUsable = before.lastUsable
        knownSince = before.knownSince
        maxAgeLogged = before.maxAgeLogged
        loggedWait = before.loggedWait
        // Keeps an earlier due time: the published status expires by it.
        let isSame = before.settings.members == settings.members && before.settings.every == settings.every
        if isSame { intervals = before.intervals }
        dueAt = min(before.dueAt, isSame ? now.uptime + interval.current : dueAt)
        step = isSame ? before.step : max(interval.current, before.step)
    }
}

/// The last usable poll if more than three poll intervals have passed since: a gap begins there. Nil: no gap.
func lastBeforeGap(_ lastUsable: Date?, until now: Date, interval: Duration) -> Date? {
    lastUsable.flatMap { now.since($0) > interval * 3 ? $0 : nil }
}

/// The state of a feed, shared by all its sources.
package struct FeedState: Hashable, Sendable {
    package var cooldown: FeedCooldown?
    private var requests: Int
    private var month: UTCMonth

    package init(cooldown: FeedCooldown? = nil, requests: Int = 0, at now: Date) {
        self.cooldown = cooldown
        self.requests = requests
        month = UTCMonth(now)
    }

    func cooldown(at now: Date) -> FeedCooldown? { cooldown.flatMap { $0.until > now ? $0 : nil } }

    func requests(inMonthOf now: Date) -> Int { UTCMonth(now) == month ? requests : 0 }
}
