import Foundation
import Markets

/// The daemon's whole state. Pure: `step` takes an input and the time and returns the work to do.
package struct Engine: Sendable {
    package internal(set) var settings: Settings
    package internal(set) var board: MarketBoard
    package internal(set) var alerts: AlertBook
    package var active: ActiveAlerts
    var summary: RollingSummary
    var sources: [Source]
    /// Keyed by feed name.
    var feeds: [String: FeedState]
    var outbox: Outbox
    /// In the order of the configuration.
    var exports: [ExportQueue]
    var recording: Recording
    var clock: Clock
    var daemon: DaemonState
    /// The running cycle; nil between two cycles.
    var cycle: Cycle?
    var chores: Chores

    /// Restores the state that the history holds.
    ///
    /// - Parameters:
    ///   - feeds: the stored state of each feed (cooldown, request count), by name.
    ///   - logged: the ids of committed events that are in the log.
    package init(
        _ settings: Settings, remembering remembered: Remembered, feeds: [String: FeedState] = [:],
        logged: Set<String> = [], at now: Moment
    ) {
        self.settings = settings
        board = remembered.board
        alerts = remembered.alerts
        active = remembered.active
        summary = remembered.summary
        sources = []
        self.feeds = feeds
        outbox = Outbox(settings.routing, queued: remembered.queued, notified: remembered.notified)
        exports = settings.exports.map { ExportQueue($0, remembering: remembered.exports[$0.name]) }
        recording = Recording(stored: remembered.stored, fault: remembered.fault)
        clock = Clock(last: now)
        daemon = DaemonState(startedAt: now.wall, unlogged: remembered.unlogged.filter { !logged.contains($0.id) })
        chores = Chores(lastDigest: remembered.lastDigest ?? min(remembered.lastCycle ?? now.wall, now.wall))
        recording.unsaved.logged = remembered.unlogged.map(\.id).filter(logged.contains)
        sources = makeSources(remembered, at: now)
        for source in sources { board.setInterval(source.step, of: source.id) }
        // Data does not become stale while no daemon runs.
        daemon.downtime = lastBeforeGap(remembered.lastCycle, until: now.wall, interval: shortestStep)
            .map { $0..<now.wall }
    }

    /// The result of the last commits, and what the next one writes.
    struct Recording: Sendable {
        var stored: StoredHistory
        /// Not yet written to disk; usually only the ids of the events logged since the last commit.
        var unsaved = Commit()
        /// Why the last commit failed; nil if it succeeded.
        var fault: String?
        /// The fault has been logged.
        var isLogged = false
    }

    /// The daemon's own state, for status and log.
    struct DaemonState: Sendable {
        let startedAt: Date
        var phase = Phase.starting
        /// From the last cycle before the start to the start; nil if that is at most three poll intervals.
        var downtime: Range<Date>?
        /// Why the configuration file was refused; nil if it was accepted.
        var rejection: String?
        var lastPoll: CyclePoll?
        /// Events that were committed but not logged before the last exit.
        var unlogged: [AlertEvent]
        /// How the last cycle ended; nil before the first.
        var ending: CycleEnding?
    }

    enum Phase: Hashable, Sendable {
        /// No cycle has ended yet.
        case starting
        case running
        /// The daemon was stopped at this uptime; running work gets a grace period.
        case stopping(since: Duration)
        /// Single-cycle mode: the cycle has ended, and deliveries that are due soon are awaited.
        case draining(since: Moment)
    }

    /// Grace period of a running poll after a stop.
    static let pollGrace = Duration.seconds(5)
    /// Grace period after a stop if only deliveries are running.
    static let deliveryGrace = Duration.seconds(2)

    /// How the last cycle ended; nil before the first.
    package var ending: CycleEnding? { daemon.ending }

    /// Whether a cycle is running; settings are replaced only between cycles.
    package var isPolling: Bool { cycle != nil }

    package var queuedMessages: Int { outbox.size.queued }

    package var installation: String { alerts.identity.installation }
}

/// How a cycle ended.
package enum CycleEnding: Hashable, Sendable {
    case polled(PollOutcome, recorded: Bool)
    /// No feed could be polled: cooldowns hold.
    case waiting(until: Date)
}

/// One pass of the loop: the sources that are due are polled at the same time.
struct Cycle: Sendable {
    let started: Date
    /// The last usable poll before a gap; nil if there is no gap. Changes during a gap are sent as one message, so all
    /// sources are processed together.
    let gapStart: Date?
    var gap = GapReading()
    let asked: Set<SourceID>
    /// Sources whose poll has not ended.
    var polling: Set<SourceID>
    /// Polls that ended and are not processed yet.
    var ended: [(SourceID, SourceResult)] = []
    var taken: [TakenPoll] = []
    /// If no feed was asked: the earliest time at which one may be asked.
    var waitsUntil: Date?
    var isRecorded = true

    /// What the answers so far say about the clock. One provider that agrees with it outweighs another that disagrees.
    /// Nil: no feed answered.
    var clock: ClockTrust? {
        if taken.contains(where: { $0.answer != nil }) { return .confirmed }
        return taken.contains { $0.clockFault != nil } ? .refuted : nil
    }
}

/// This machine's clocks, and whether the wall clock is trusted.
struct Clock: Sendable {
    var last: Moment
    var trust = ClockTrust.unproven
}

/// Scheduled work other than polls: digest, heartbeat, backfill, pruning.
struct Chores: Sendable {
    /// Digests due up to this time were sent or are skipped.
    var lastDigest: Date
    var lastHeartbeat: Date?
    var isHeartbeatRunning = false
    var heartbeatFailures = FailureCount()
    /// The next usable poll starts a backfill round: true after the start and after a gap.
    var isBackfillDue = true
    var isBackfilling = false
    /// Hours from 1970 to the last pruning. An hour begins 7 minutes late, when the candles of the hour before exist.
    var prunedHour: Int64?
    var isPruning = false
    /// Nothing more can be deleted before the next hour has its candles.
    var isStillTooLarge = false
}
