import Foundation
import Markets

/// What is written in one transaction.
package struct Commit: Sendable {
    /// Oldest first; includes polls that an earlier commit failed to write.
    package var polls: [PollRecord] = []
    /// Set for a cycle in which no feed could be polled: its time, and what is watched.
    package var idleCycle: (at: Date, watched: WatchedMarkets)?
    package var alerts: [AlertKey: Alert] = [:]
    package var events: [AlertEvent] = []
    /// Ids of committed events that were logged since.
    package var logged: [String] = []
    /// Silences whose end was announced, and when. One that was extended since is kept.
    package var endedSilences: [(id: Int64, at: Date)] = []
    /// What happened to messages, in order.
    package var outbox: [OutboxChange] = []
    /// The channels that were notified of a firing alert, where that changed; once it is resolved, only those to which
    /// the state of alerts is posted.
    package var notified: [AlertKey: [String]] = [:]
    /// When the digest in this commit was due; nil: no digest.
    package var digest: Date?
    /// By name; those that have changed.
    package var exports: [String: StoredExport] = [:]
    /// The time range of past polls whose samples the summary needs next, and in which currencies; read after the
    /// commit.
    package var pastNeeded: (polled: Range<Date>, currencies: MarketCurrencies)?

    package init() {}

    package var isEmpty: Bool {
        polls.isEmpty && idleCycle == nil && alerts.isEmpty && events.isEmpty && logged.isEmpty
            && endedSilences.isEmpty && outbox.isEmpty && notified.isEmpty && digest == nil && exports.isEmpty
    }

    /// Appends a later commit.
    mutating func add(_ later: Commit) {
        polls += later.polls
        idleCycle = later.idleCycle ?? idleCycle
        alerts.merge(later.alerts) { _, new in new }
        events += later.events
        logged += later.logged
        endedSilences += later.endedSilences
        outbox += later.outbox
        notified.merge(later.notified) { _, new in new }
        digest = later.digest ?? digest
        exports.merge(later.exports) { _, new in new }
        pastNeeded = later.pastNeeded
    }

    /// The most samples kept in memory (about 1 MB) while the database cannot be written. Beyond it the oldest polls
    /// are dropped.
    private static let mostUnsaved = 10_000

    /// Reduces a commit that could not be written to what the next one needs.
    mutating func keepUnsaved() {
        // An idle cycle has no use later.
        idleCycle = nil
        var samples = polls.reduce(0) { $0 + $1.samples.count }
        var surplus = 0
        while samples > Self.mostUnsaved, surplus < polls.count {
            samples -= polls[surplus].samples.count
            surplus += 1
        }
        polls.removeFirst(surplus)
    }
}

/// A change of a queued message.
package enum OutboxChange: Hashable, Sendable {
    case queue(OutgoingMessage)
    /// A delivery failed: the message with its attempts so far and the time of the next.
    case postpone(QueuedMessage)
    /// Joins messages held for quiet hours into one, at the position of the first.
    case join([String], into: QueuedMessage)
    /// Delivered or dropped.
    case remove(String)
}

/// The result of a commit.
package struct CommitResult: Sendable {
    /// Why nothing was written; nil if all was.
    package var fault: String?
    /// Identifies this database; part of every event's id.
    package var installation: String
    package var stored: StoredHistory
    /// Damaged databases that were quarantined during the commit.
    package var quarantined: [QuarantinedDatabase] = []
    /// The prices requested by `pastNeeded`; nil if they could not be read.
    package var past: [PastPrice]?

    package init(fault: String? = nil, installation: String, stored: StoredHistory) {
        self.fault = fault
        self.installation = installation
        self.stored = stored
    }
}

/// A damaged database under its new name.
package struct QuarantinedDatabase: Hashable, Sendable {
    package var path: String
    /// What was wrong with it.
    package var cause: String

    package init(path: String, cause: String) {
        self.path = path
        self.cause = cause
    }
}

/// Size and extent of the history.
package struct StoredHistory: Hashable, Sendable {
    package var database: String
    /// Database and write-ahead log on disk.
    package var bytes: Int64
    package var samples: Int64
    /// The oldest poll, or the oldest moment that was backfilled; nil if there is none.
    package var oldestAt: Date?

    package init(database: String, bytes: Int64 = 0, samples: Int64 = 0, oldestAt: Date? = nil) {
        self.database = database
        self.bytes = bytes
        self.samples = samples
        self.oldestAt = oldestAt
    }
}

extension LogLine {
    static func quarantined(_ database: QuarantinedDatabase) -> LogLine {
        LogLine(.error, "history.replaced") { line in
            line.add("message", "the database was damaged and a new one begun; restore the old one or remove it")
            line.add("set_aside", database.path)
            line.add("cause", database.cause)
        }
    }
}

/// One poll of a source as it is recorded.
package struct PollRecord: Sendable {
    /// When the poll began.
    package var at: Date
    /// When the answer was complete; without an answer, when the poll ended.
    package var fetchedAt: Date
    package var feed: String
    package var source = SourceID.shared
    /// The poll interval in force; zero: as configured.
    package var interval = Duration.zero
    package var currency: Currency
    package var outcome: PollOutcome
    /// The kind of the error; nil if there was none.
    package var error: String?
    package var samples: [Sample] = []
    /// Large moves: those that wait for confirmation and those that this poll decided.
    package var moves: [LargeMove] = []
    package var unknown: [(market: MarketID, reason: UnknownReason)] = []
    /// The markets that are watched from this poll on; nil: those of the poll before.
    package var watched: WatchedMarkets?
    /// The largest markets by rank; nil if the answer has no ranking.
    package var ranking: [MarketID]?
}

extension PollRecord {
    package init(at: Date, fetchedAt: Date, feed: String, currency: Currency, outcome: PollOutcome) {
        self.init(at: at, fetchedAt: fetchedAt, feed: feed, currency: currency, outcome: outcome, error: nil)
    }
}
