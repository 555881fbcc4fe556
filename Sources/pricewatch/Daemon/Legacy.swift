import Engine
import Feeds
import Foundation
import History
import Markets

/// What a cycle takes over from whoever polled before it: from the history at a start, from the cycle before it where
/// only the configuration has changed.
struct Legacy: Sendable {
    let alerts: [AlertKey: Alert]
    let standing: StandingAlerts
    let ledger: Ledger
    /// The channels that know of an alert that it fires.
    let told: [AlertKey: Set<String>]
    /// Until when the day's summary has been told where it was due; nil where it never was.
    let digested: Date?
    // Within one process alone.
    var board: MarketBoard?
    var currency: Currency?
    var health: [Lane: LaneHealth] = [:]
    var lastPoll: StatusReport.LastPoll?
    var phase = Cycle.Phase.starting
    var recordingNews = RecordingNews()
    var clocks = ClockWatch()
    /// Before the process began.
    var downtime: Range<Date>?
    var heartbeat: Heartbeat?
    /// When each lane was to be asked next.
    var awaited: [Lane: Awaited] = [:]

    struct Awaited {
        let plan: LanePlan
        let feeds: FailoverFeed
        let delay: Duration
        let step: Duration
    }

    var isOfThisProcess: Bool { board != nil }
}

extension Legacy {
    /// - Parameter start: when the daemon begins.
    init(_ history: HistoryWriter, alreadyLogged: LoggedEvents?, start: Date) throws(HistoryError) {
        let reader = history.reader
        self.init(
            alerts: try reader.alerts(), standing: StandingAlerts(try reader.standingEvents()),
            ledger: try Ledger(history, alreadyLogged: alreadyLogged, start: start),
            told: try reader.toldChannels().mapValues(Set.init), digested: try reader.lastDigest())
    }
}

extension Legacy {
    /// How long the first poll of a lane is to wait: it comes at once, unless the last one is too young for a good
    /// guest to ask again. A restart loop must not ask more often than the daemon would.
    func delay(of line: Lanes.Line, lastPoll: Date?, now: Date) -> Duration {
        let plan = line.plan
        let age = lastPoll.map { now.since($0) }.flatMap { $0 >= .zero ? $0 : nil }
        let delay = age.map { max(.zero, min(plan.every, .seconds(60)) - $0) } ?? .zero
        guard let before = awaited[plan.lane] else { return delay }
        // What the configuration before had promised for the next poll holds, so that no status expires for a change.
        return min(before.delay, before.plan.asksTheSame(as: plan) ? line.interval : delay)
    }
}
