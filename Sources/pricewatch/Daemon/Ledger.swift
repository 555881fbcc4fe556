import Foundation
import History
import Markets

/// Writes polls to the history. What could not be written of alerts is kept and goes with the next poll, so that
/// nothing is announced twice once recording resumes.
struct Ledger {
    private let history: HistoryWriter
    private var unwrittenAlerts: [AlertKey: Alert] = [:]
    private var unwrittenEvents: [AlertEvent] = []
    private var loggedEvents: [String] = []
    private var untold: [AlertEvent]
    /// Why the last poll could not be recorded; nil where it was.
    private(set) var fault: HistoryError?

    init(_ history: HistoryWriter, alreadyLogged: LoggedEvents?) throws(HistoryError) {
        self.history = history
        fault = history.fault
        _ = try history.size()
        untold = try history.reader.unloggedEvents()
        let told = untold.filter { alreadyLogged?.contains($0.id) == true }.map(\.id)
        untold.removeAll { told.contains($0.id) }
        loggedEvents = told
    }

    /// True where it was written.
    mutating func write(_ poll: PollRecord) -> Bool {
        var record = poll
        record.alerts = unwrittenAlerts.merging(poll.alerts) { _, new in new }
        record.events = unwrittenEvents + poll.events
        record.logged = loggedEvents
        do {
            try history.record(record)
        } catch {
            fault = error
            unwrittenAlerts = record.alerts
            unwrittenEvents = record.events
            return false
        }
        fault = nil
        unwrittenAlerts = [:]
        unwrittenEvents = []
        loggedEvents = []
        return true
    }

    /// Events that were stored before this start and did not reach the log.
    mutating func takeUntold() -> [AlertEvent] {
        defer { untold = [] }
        return untold
    }

    mutating func logged(_ event: AlertEvent) { loggedEvents.append(event.id) }

    var stored: StatusReport.Stored {
        let size = try? history.size()
        return StatusReport.Stored(
            database: history.path, bytes: history.reader.bytesOnDisk(), samples: size?.samples ?? 0,
            oldestAt: size?.oldestAt)
    }
}
