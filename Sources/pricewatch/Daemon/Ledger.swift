import Engine
import Foundation
import History
import Markets

/// Writes polls to the history. What could not be written of alerts is kept and goes with the next poll, so that
/// nothing is announced twice once recording resumes.
struct Ledger {
    private let history: HistoryWriter
    /// What is not yet written of alerts.
    private var pending = AlertRecord()
    /// Polls that could not be written, oldest first: a program that keeps the database locked for a while must not
    /// cost samples.
    private var unsaved: [PollRecord] = []
    /// Of samples, which take about a megabyte. Beyond it the oldest polls are given up.
    private static let mostUnsaved = 10_000
    private var untold: [AlertEvent]
    /// Messages that the sender has not heard of yet.
    private var outgoing: [OutgoingMessage] = []
    /// Why the last poll could not be recorded; nil where it was.
    private(set) var fault: HistoryError?
    /// That the daemon began goes with the first that is written.
    private var start: Date?

    init(_ history: HistoryWriter, alreadyLogged: LoggedEvents?, start: Date) throws(HistoryError) {
        self.history = history
        self.start = start
        fault = history.fault
        _ = try history.size()
        untold = try history.reader.unloggedEvents()
        let told = untold.filter { alreadyLogged?.contains($0.id) == true }.map(\.id)
        untold.removeAll { told.contains($0.id) }
        pending.logged = told
    }

    /// Writes the polls of a turn with what the rules made of them. True where it was written.
    mutating func write(_ polls: [PollRecord], _ changes: AlertRecord) -> Bool {
        add(changes)
        var records = polls
        if !records.isEmpty { records[records.endIndex - 1].alerts = pending }
        if !records.isEmpty { records[0].daemonStart = start }
        let written = write { [records] history throws(HistoryError) in try history.record(records) }
        if !written { keep(polls) }
        return noted(written)
    }

    private mutating func keep(_ polls: [PollRecord]) {
        unsaved.removeAll { $0.currency != polls.first?.currency }
        unsaved += polls
        var samples = unsaved.reduce(0) { $0 + $1.samples.count }
        while samples > Self.mostUnsaved { samples -= unsaved.removeFirst().samples.count }
    }

    /// True where it was written.
    mutating func write(_ wait: WaitRecord) -> Bool {
        var record = wait
        add(wait.alerts)
        record.alerts = pending
        record.daemonStart = start
        return noted(write { history throws(HistoryError) in try history.record(record) })
    }

    /// What changed beside the turns. True where it was written.
    mutating func write(_ changes: AlertRecord) -> Bool {
        add(changes)
        return write { [pending] history throws(HistoryError) in try history.record(pending) }
    }

    private mutating func add(_ changes: AlertRecord) {
        pending.add(changes)
        outgoing += changes.messages
    }

    private mutating func write(_ body: (HistoryWriter) throws(HistoryError) -> Void) -> Bool {
        do {
            if !unsaved.isEmpty { try history.record(unsaved) }
            unsaved = []
            try body(history)
        } catch {
            fault = error
            return false
        }
        fault = nil
        pending = AlertRecord()
        return true
    }

    /// The start is written with the first turn.
    private mutating func noted(_ written: Bool) -> Bool {
        if written { start = nil }
        return written
    }

    /// Events that were stored before this start and did not reach the log.
    mutating func takeUntold() -> [AlertEvent] {
        defer { untold = [] }
        return untold
    }

    mutating func logged(_ event: AlertEvent) { pending.logged.append(event.id) }

    /// Messages that wait no longer, and could not be taken out of the outbox.
    mutating func settled(_ messages: [String]) { pending.settled += messages }

    /// The messages written, or to be written, since this was last asked.
    mutating func takeOutgoing() -> [OutgoingMessage] {
        defer { outgoing = [] }
        return outgoing
    }

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
        messages += later.messages
        settled += later.settled
        told.merge(later.told) { _, new in new }
        digest = later.digest ?? digest
    }
}

extension AlertBook.Changes {
    func record(at now: Date) -> AlertRecord {
        AlertRecord(
            alerts: Dictionary(alerts.map { ($0.key, $0.alert) }, uniquingKeysWith: { _, last in last }),
            events: events, endedSilences: endedSilences.map { ($0, now) })
    }
}
