import Foundation
import Markets

/// The feeds that markets are asked of, in order of preference: when they are polled, which of them serves, and how
/// their polls went.
struct Source: Sendable {
    let settings: SourceSettings
    private(set) var state = State.idle
    private(set) var failover: Failover
    /// One per feed of the source.
    private(set) var intervals: [PollInterval]
    /// Uptime of the next poll; changes of the wall clock do not affect it.
    var dueAt = Duration.zero
    /// The interval by which `dueAt` was set; gaps between polls are measured by it.
    var step: Duration
    private(set) var failures = FailureCount()
    /// The error of the last failed poll.
    private(set) var lastError: PollError?
    private(set) var clockFault: String?
    /// When its newest usable poll began.
    private(set) var lastUsable: Date?
    /// When it was first polled; used if it never answered.
    private var knownSince: Date
    private var maxAgeLogged = false

    enum State: Sendable {
        /// Not polled yet.
        case idle
        case polling(FeedPolling)
        /// The last poll returned prices.
        case served
        case failed
        /// No request is sent before this time.
        case waiting(until: Date)
    }

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
    var isPolling: Bool { if case .polling = state { true } else { false } }

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
        let step = polling.next(&failover, at: now)
        state = .polling(polling)
        return step
    }

    /// Records how the request to one feed ended.
    mutating func take(_ result: PollResult, at now: Moment) -> FeedPolling.Step? {
        guard case .polling(var polling) = state else { return nil }
        polling.note(result, &failover, at: now)
        let step = polling.next(&failover, at: now)
        state = .polling(polling)
        return step
    }

    /// Records how the poll ended. Returns the last usable poll before the gap that it ends; nil if there is no gap.
    mutating func end(_ poll: TakenPoll, at started: Date) -> Date? {
        clockFault = poll.clockFault
        guard poll.isUsable else {
            lastError = poll.error
            state = .failed
            return nil
        }
        defer { lastUsable = started }
        state = .served
        return lastUsable.flatMap { started.since($0) > step * 3 ? $0 : nil }
    }

    mutating func wait(until moment: Date) { state = .waiting(until: moment) }

    /// Whether to log this poll, and the number of consecutive failures before it.
    mutating func count(_ poll: TakenPoll, at started: Date) -> (isLogged: Bool, failuresBefore: Int) {
        poll.isUsable ? (true, failures.reset()) : (failures.add(at: started), 0)
    }

    /// True the first time that the provider's max-age exceeds the interval. The interval does not change.
    mutating func mustLog(maxAge: Duration) -> Bool {
        guard !maxAgeLogged, maxAge > step else { return false }
        maxAgeLogged = true
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
    mutating func resume(_ before: Source, at uptime: Duration) {
        failures = before.failures
        lastError = before.lastError
        clockFault = before.clockFault
        lastUsable = before.lastUsable
        knownSince = before.knownSince
        maxAgeLogged = before.maxAgeLogged
        state = before.state
        // Keeps an earlier due time: the published status expires by it.
        let isSame = before.settings.members == settings.members && before.settings.every == settings.every
        if isSame { intervals = before.intervals }
        dueAt = min(before.dueAt, isSame ? uptime + interval.current : dueAt)
        step = isSame ? before.step : max(interval.current, before.step)
    }

    /// Takes over the failover state of the source before a reload if the feeds are the same.
    mutating func resumeFailover(_ before: Source) {
        if before.settings.members.map(\.feed) == settings.members.map(\.feed) {
            failover.resume(before.failover)
        }
    }
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

/// Consecutive failures, and which of them are logged: the 1st, 2nd, 4th, 8th … and one a day.
package struct FailureCount: Hashable, Sendable {
    package private(set) var count = 0
    private var loggedAt: Date?

    package init() {}

    /// Counts a failure; true if it is to be logged.
    package mutating func add(at now: Date) -> Bool {
        count += 1
        let isPowerOfTwo = count & (count - 1) == 0
        guard isPowerOfTwo || loggedAt.map({ now.since($0) >= .hours(24) }) ?? true else { return false }
        loggedAt = now
        return true
    }

    /// Resets the count; returns the count before.
    package mutating func reset() -> Int {
        defer { self = FailureCount() }
        return count
    }
}
