import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// The samples and alert states that a request sends, oldest poll first.
    ///
    /// A sample that was confirmed later is in the batch of the poll that confirmed it, and a backfilled one in that of
    /// its own row, which is newer than the polls around it. Polls are read whole.
    ///
    /// - Parameters:
    ///   - now: Quotes from more than a minute later are left out: a future sample makes engines refuse later ones.
    ///   - lines: The most lines, unless the first poll has more.
    package func exportBatch(
        _ request: ExportRequest, at now: Date, atMost lines: Int = ExportBatch.mostLines
    ) throws(HistoryError) -> ExportBatch {
        try read { db in
            let start = request.rewinds ? try ExportReading.rewound(request.after, db) : request.after
            var reading = try ExportReading(db, behind: start, atMost: lines)
            reading.batch.taken = reading.polls.reduce(0) { $0 + ($1.id > request.acknowledged ? $1.samples : 0) }
            reading.batch.first = reading.polls.first { $0.id > request.settled }.map {
                Date(milliseconds: $0.fetchedAt)
            }
            reading.batch.last = reading.polls.last.map { Date(milliseconds: $0.fetchedAt) }
            try reading.readSamples(db, behind: start, acknowledged: request.acknowledged, until: now + .minutes(1))
            reading.batch.next = try ExportReading.firstAnswer(behind: reading.batch.upTo, db)
            if reading.batch.next == nil { reading.batch.upTo = max(reading.batch.upTo, request.acknowledged) }
            return reading.batch
        }
    }
}

/// What is read for one batch, from one snapshot of the database.
struct ExportReading {
    var batch: ExportBatch
    /// Oldest first.
    private(set) var polls: [Poll] = []

    struct Poll {
        let id: Int64
        /// Milliseconds since 1970.
        let fetchedAt: Int64
        let samples: Int
    }

    /// Chooses the polls, and adds the alert states at them.
    init(_ db: Database, behind start: Int64, atMost lines: Int) throws {
        batch = ExportBatch(upTo: start)
        let found: [(poll: Poll, isBackfilled: Bool)] = try db.all(
            "SELECT id, fetched_at, samples, backfilled FROM poll WHERE id > ? ORDER BY id LIMIT ?", [start, lines]
        ) { row in
            (
                Poll(id: try row.value(0), fetchedAt: try row.time(1), samples: try row.value(2)),
                try row.value(3)
            )
        }
        guard !found.isEmpty else { return }
        let last: Int64? = try db.value(
            "SELECT fetched_at FROM poll WHERE id <= ? AND NOT backfilled ORDER BY id DESC LIMIT 1", [start])
        var alerts = try FiringAlerts(db, at: last ?? Date.stored.lowerBound)
        var count = 0
        for (poll, isBackfilled) in found {
            let states = isBackfilled ? [] : alerts.states(at: poll.fetchedAt)
            // A poll without lines takes part of the bound, too.
            count += max(1, poll.samples + states.count)
            guard count <= lines || polls.isEmpty else { break }
            polls.append(poll)
            batch.alerts += states
            batch.upTo = poll.id
        }
    }

    /// Adds the confirmed samples of the polls, and those that they confirmed.
    mutating func readSamples(
        _ db: Database, behind start: Int64, acknowledged: Int64, until limit: Date
    ) throws {
        guard let first = polls.first, let last = polls.last else { return }
        var series: [Int64: (market: MarketID, currency: Currency)] = [:]
        batch.samples.reserveCapacity(polls.reduce(0) { $0 + $1.samples })
        func add(_ row: StoredRow, of poll: Int64, fetchedAt: Int64) throws {
            let quotedAt = try row.quotedAt(1, fetchedAt: fetchedAt)
            guard quotedAt <= limit else { return }
            let number = try row.seriesOfSample(0)
            let known = try series[number] ?? (try row.value(4), try row.value(5))
            series[number] = known
            batch.samples.append(
                ExportedSample(
                    market: known.market, currency: known.currency, price: try row.price(2), quotedAt: quotedAt))
            if poll <= acknowledged { batch.repeated += 1 }
        }
        var place = 0
        try db.rows(
            """
            SELECT sample.id, age, significand, exponent, market, currency
            FROM sample CROSS JOIN series ON series.id = sample.id & 1048575
            WHERE sample.id >= ?1 << 20 AND sample.id < (?2 + 1) << 20 AND confirmed ORDER BY sample.id
            """, [first.id, last.id]
        ) { row in
            let poll = try row.value(0, as: Int64.self) >> SampleKey.bits
            while place < polls.count - 1, polls[place].id < poll { place += 1 }
            guard polls[place].id == poll else { return }
            try add(row, of: poll, fetchedAt: polls[place].fetchedAt)
        }
        try db.rows(
            """
            SELECT sample.id, age, significand, exponent, market, currency, fetched_at, confirmation.poll
            FROM confirmation CROSS JOIN sample ON sample.id = confirmation.sample
            CROSS JOIN poll ON poll.id = sample.id >> 20 CROSS JOIN series ON series.id = sample.id & 1048575
            WHERE confirmation.poll > ?1 AND confirmation.poll <= ?2 AND confirmed
            """, [start, last.id]
        ) { try add($0, of: try $0.value(7), fetchedAt: try $0.time(6)) }
    }

    /// The id behind which the live polls of the two minutes before this one begin.
    static func rewound(_ poll: Int64, _ db: Database) throws -> Int64 {
        let newest = "SELECT at FROM poll WHERE id <= ? AND NOT backfilled ORDER BY id DESC LIMIT 1"
        guard let at: Int64 = try db.value(newest, [poll]) else { return poll }
        let first: Int64? = try db.value(
            "SELECT min(id) FROM poll WHERE at BETWEEN ?1 AND ?2 AND NOT backfilled",
            [at - ExportRequest.rewind.inMilliseconds, at])
        return min(poll, (first ?? poll) - 1)
    }

    /// When the answer of the first poll behind this id was complete; nil if there is none.
    static func firstAnswer(behind poll: Int64, _ db: Database) throws -> Date? {
        try db.value("SELECT fetched_at FROM poll WHERE id > ? ORDER BY id LIMIT 1", [poll])
    }
}

/// The alerts that fired at a time, followed through the events after it.
private struct FiringAlerts {
    private var firing: [AlertKey: AlertRule.Severity] = [:]
    /// Newest first.
    private var later: [Event] = []

    private struct Event {
        let key: AlertKey
        let severity: AlertRule.Severity
        let kind: AlertEvent.Kind
        let at: Int64
    }

    /// Starts from those that fire now and goes back: few events are newer than what is to be sent.
    init(_ db: Database, at time: Int64) throws {
        try db.rows(
            """
            SELECT rule, market, (SELECT severity FROM event WHERE event.rule = alert.rule
                AND event.market = alert.market AND event <> 'pending' ORDER BY id DESC LIMIT 1)
            FROM alert WHERE state = 'firing'
            """
        ) { row in
            guard let severity = try row.value(2, as: AlertRule.Severity?.self) else { return }
            firing[AlertKey(rule: try row.value(0), market: try row.value(1))] = severity
        }
        later = try db.all(
            """
            SELECT rule, market, severity, event, at FROM event WHERE at > ? AND event <> 'pending'
            ORDER BY at DESC, id DESC
            """, [time]
        ) { row in
            Event(
                key: AlertKey(rule: try row.value(0), market: try row.value(1)), severity: try row.value(2),
                kind: try row.value(3), at: try row.time(4))
        }
        for event in later { firing[event.key] = event.kind == .firing ? nil : event.severity }
    }

    /// Those that fire at a poll, and those that ended since the poll before.
    mutating func states(at time: Int64) -> [ExportedAlert] {
        var states: [ExportedAlert] = []
        while let event = later.last, event.at <= time {
            later.removeLast()
            firing[event.key] = event.kind == .resolved ? nil : event.severity
            if event.kind == .resolved { states.append(state(event.key, event.severity, false, at: event.at)) }
        }
        let now = firing.sorted { ($0.key.rule, $0.key.market) < ($1.key.rule, $1.key.market) }
        return states + now.map { state($0.key, $0.value, true, at: time) }
    }

    private func state(
        _ key: AlertKey, _ severity: AlertRule.Severity, _ isFiring: Bool, at time: Int64
    ) -> ExportedAlert {
        ExportedAlert(
            rule: key.rule, market: key.market, severity: severity, isFiring: isFiring, at: Date(milliseconds: time))
    }
}
