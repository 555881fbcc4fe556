import Engine
import Foundation
import Markets

/// The status file as values: what the daemon writes and `status` reads.
struct StatusReport: Sendable {
    static let schema = 1
    /// More would make the file cost more than the poll.
    static let marketsListed = 1000

    var version = Version.current
    var state: State
    var reasons: [Reason] = []
    var pid: Int32?
    var startedAt: Date?
    var writtenAt: Date
    var expiresAt: Date?
    var nextPollAt: Date?
    var lastPoll: LastPoll?
    /// When the newest poll began that brought prices; not in the file.
    var lastUsablePoll: Date?
    var consecutiveFailures = 0
    var interval: Duration
    var feeds: [Feed] = []
    var summary: DaySummary
    var markets: [Market] = []
    var marketsOmitted = 0
    /// Of all markets, also of those that are not listed.
    var marketsByState: [MarketBoard.Entry.State: Int] = [:]
    var firing: [AlertEvent] = []
    var pending: [AlertEvent] = []
    /// In force.
    var silences: [Silence] = []
    var outbox = Sender.Report()
    var history: Stored

    enum State: String, Sendable, CaseIterable {
        case starting, ok, degraded, failing, stopping, stopped
    }

    struct Reason: Hashable, Sendable {
        enum Code: String, Sendable {
            case pollFailed = "poll_failed"
            case waiting, standby, quota, clock
            case marketMissing = "market_missing"
            case marketStale = "market_stale"
            case marketUnknown = "market_unknown"
            case notRecording = "not_recording"
            case databaseReplaced = "database_replaced"
            case configRejected = "config_rejected"
            case logUnwritable = "log_unwritable"
            case notifyFailing = "notify_failing"
        }
        var code: Code
        var message: String
    }

    struct LastPoll: Hashable, Sendable {
        var at: Date
        var outcome: PollOutcome
        var feed: String
        var markets: Int
        var tookMilliseconds: Int
        var attempts: Int
        var error: PollError?
    }

    struct PollError: Hashable, Sendable {
        var kind: String
        var message: String
        var retryable: Bool
        var retryAt: Date?
    }

    struct Feed: Hashable, Sendable {
        var name: String
        var state: String
        var nextTryAt: Date?
        var requestsThisMonth: Int
        var quota: Int?
        var quotaEndsAt: Date?
    }

    struct Market: Hashable, Sendable {
        var market: MarketID
        var symbol: String
        var name: String
        var currency: Currency
        var sighting: MarketBoard.Sighting?
        var state: MarketBoard.Entry.State
        var reason: UnknownReason?
        var change: DayChange?
    }

    struct Stored: Hashable, Sendable {
        var database: String
        var bytes: Int64
        var samples: Int64
        var oldestAt: Date?
    }
}
