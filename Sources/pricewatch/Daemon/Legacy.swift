import Foundation
import History
import Markets

/// What a cycle takes over from whoever polled before it: from the history at a start, from the cycle before it where
/// only the configuration has changed.
struct Legacy: Sendable {
    let alerts: [AlertKey: Alert]
    let standing: StandingAlerts
    let ledger: Ledger
    let lastUsablePoll: Date?
    /// The channels that know of an alert that it fires.
    let told: [AlertKey: Set<String>]
    // Within one process alone.
    var board: MarketBoard?
    var currency: Currency?
    var failures = FailureCount()
    var lastPoll: StatusReport.LastPoll?
    var clockFault: String?
    var clocks = ClockWatch()
    /// The time between two polls that was in force.
    var interval: Duration?
    var heartbeat: Heartbeat?

    var isOfThisProcess: Bool { board != nil }
}

extension Legacy {
    init(_ history: HistoryWriter, alreadyLogged: LoggedEvents?) throws(HistoryError) {
        let reader = history.reader
        self.init(
            alerts: try reader.alerts(), standing: StandingAlerts(try reader.standingEvents()),
            ledger: try Ledger(history, alreadyLogged: alreadyLogged), lastUsablePoll: try reader.lastUsablePoll(),
            told: try reader.toldChannels().mapValues(Set.init))
    }
}
