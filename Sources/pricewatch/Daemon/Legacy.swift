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
    // Within one process alone.
    var board: MarketBoard?
    var currency: Currency?
    var failures = FailureCount()
    var lastPoll: StatusReport.LastPoll?
    var clockFault: String?
    var clocks = ClockWatch()
    /// The time between two polls that was in force.
    var interval: Duration?
    /// Before the process began.
    var downtime: Range<Date>?

    var isOfThisProcess: Bool { board != nil }
}

extension Legacy {
    /// - Parameter start: when the daemon begins.
    init(_ history: HistoryWriter, alreadyLogged: LoggedEvents?, start: Date) throws(HistoryError) {
        let reader = history.reader
        self.init(
            alerts: try reader.alerts(), standing: StandingAlerts(try reader.standingEvents()),
            ledger: try Ledger(history, alreadyLogged: alreadyLogged, start: start),
            lastUsablePoll: try reader.lastUsablePoll())
    }
}
