import Foundation
import History
import Markets

/// Writes polls to the history. What could not be written of alerts is kept and goes with the next poll, so that
/// nothing is announced twice once recording resumes.
struct Ledger {
    private let history: HistoryWriter
    /// What is not yet written of alerts.
    private var pending = AlertRecord()
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
        pending.logged = told
    }

    /// Writes the polls of a turn with what the rules made of them. True where it was written.
    mutating func write(_ polls: [PollRecord], _ changes: AlertRecord) -> Bool {
        pending.add(changes)
        var records = polls
        if !records.isEmpty { records[records.endIndex - 1].alerts = pending }
        return write { [records] history throws(HistoryError) in try history.record(records) }
    }

    /// For a turn in which nobody was asked. True where nothing is left to be written.
    mutating func write(_ changes: AlertRecord) -> Bool {
        pending.add(changes)
        guard !pending.isEmpty else { return fault == nil }
        let record = pending
        return write { history throws(HistoryError) in try history.record(record) }
    }

    private mutating func write(_ body: (HistoryWriter) throws(HistoryError) -> Void) -> Bool {
        do {
            try body(history)
        } catch {
            fault = error
            return false
        }
        fault = nil
        pending = AlertRecord()
        return true
    }

    /// Events that were stored before this start and did not reach the log.
    mutating func takeUntold() -> [AlertEvent] {
        defer { untold = [] }
        return untold
    }

    mutating func logged(_ event: AlertEvent) { pending.logged.append(event.id) }

    var stored: StatusReport.Stored {
        let size = try? history.size()
        return StatusReport.Stored(
            database: history.path, bytes: history.reader.bytesOnDisk(), samples: size?.samples ?? 0,
            oldestAt: size?.oldestAt)
    }
}

extension AlertRecord {
    fileprivate mutating func add(_ later: AlertRecord) {
        alerts.merge(later.alerts) { _, new in new }
        events += later.events
        logged += later.logged
        endedSilences += later.endedSilences
    }
}

extension AlertBook.Changes {
    func record(at now: Date) -> AlertRecord {
        AlertRecord(
            alerts: Dictionary(alerts.map { ($0.key, $0.alert) }, uniquingKeysWith: { _, last in last }),
            events: events, endedSilences: endedSilences.map { ($0, now) })
    }
}
