import Engine
import Foundation
import GRDB
import Markets

/// The recorded cycles of a daemon from a moment on, in order, and the state before them.
package struct Replay: Sendable {
    /// Every market of the replay that was recorded in the currency. The cycles refer to them by index.
    package let markets: [HistoryReader.Name]
    /// The indices of the markets that were watched at the beginning.
    package let watched: [Int]
    /// The newest trusted prices before the beginning, by index.
    package let newest: [Int: MarketBoard.PriceSample]
    /// The start of the last usable poll before the beginning.
    package let lastUsablePoll: Date?
    /// The daemon's last cycle before the beginning.
    package let lastTurn: Date?
    /// The start of the first and the last poll, or backfilled price, of the replay; nil if it is empty.
    package let span: ClosedRange<Date>?
    /// The indices of the markets with backfilled prices; nil if these are left out.
    package let backfilled: Set<Int>?
    /// Backfilled prices belong to the replay from here on, in milliseconds.
    let since: Int64
    /// The first id of `poll` and `turn` that may belong to the replay.
    let from: Int64
    let series: ReplaySeries

    init(
        _ series: ReplaySeries, since: Int64, from: Int64 = .max, watched: [Int] = [],
        newest: [Int: MarketBoard.PriceSample] = [:], lastUsablePoll: Date? = nil, lastTurn: Date? = nil,
        span: ClosedRange<Date>? = nil, backfilled: Set<Int>? = nil
    ) {
        self.since = since
        self.backfilled = backfilled
        self.series = series
        self.from = from
        self.watched = watched
        self.newest = newest
        self.lastUsablePoll = lastUsablePoll
        self.lastTurn = lastTurn
        self.span = span
        markets = series.names
    }
}

extension HistoryReader {
    /// - Parameters:
    ///   - since: polls that began earlier are left out.
    ///   - wanted: Only these markets; nil: all.
    ///   - withHealed: Whether backfilled prices get their own cycles.
    package func replay(
        in currency: Currency, since: Date, of wanted: Set<MarketID>? = nil, withBackfilled: Bool = false
    ) throws(HistoryError) -> Replay {
        try read { db in
            let series = try ReplaySeries(db, in: currency, only: wanted)
            let since = since.milliseconds
            let backfilled = withBackfilled ? try BackfilledCycles.markets(series, since: since, db) : nil
            let ends = try Row.fetchOne(
                db,
                sql: "SELECT min(at), max(at) FROM poll WHERE at >= ? AND (NOT backfilled OR ?)",
                arguments: [since, backfilled?.isEmpty == false])
            guard let ends, let begin: Date = try ends.value(0, "poll.at", as: Date?.self),
                let end: Date = try ends.value(1, "poll.at", as: Date?.self)
            else { return Replay(series, since: since, backfilled: backfilled) }
            let oldest = "SELECT min(id) FROM poll WHERE at >= ? AND NOT backfilled"
            let first = (try db.value("poll.id", oldest, [since], as: Int64?.self) ?? nil) ?? .max
            let before = try Row.fetchOne(
                db, sql: "SELECT id, at FROM poll WHERE id < ? AND NOT backfilled ORDER BY id DESC LIMIT 1",
                arguments: [first])
            let usable: Date? = try db.value(
                "poll.at",
                "SELECT at FROM poll WHERE id < ? AND NOT backfilled AND outcome <> 'failed' ORDER BY id DESC LIMIT 1",
                [first])
            // Events since the previous poll, such as the start of the daemon, belong to the replay.
            let from = try before.map { try $0.value(0, "poll.id", as: Int64.self) + 1 } ?? 0
            return Replay(
                series, since: since, from: from, watched: try series.watched(before: from, db),
                newest: try NewestBefore.of(series, poll: first, at: begin.milliseconds, db),
                lastUsablePoll: usable, lastTurn: try before?.value(1, "poll.at"), span: begin...end,
                backfilled: backfilled)
        }
    }

    /// Passes the cycles to `body` one at a time: memory use does not grow with their number.
    package func play(_ replay: Replay, _ body: (RecordedCycle) throws -> Void) throws(HistoryError) {
        try read { db in
            var changes = try WatchChanges(replay, db)
            let reading = try PollReading(replay.series, db)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT poll.id, at, fetched_at, outcome, error, name, alone, interval, 1
                    FROM poll LEFT JOIN feed ON feed.id = feed
                    WHERE poll.id >= ?1 AND NOT backfilled
                    UNION ALL
                    SELECT id, at, NULL, NULL, NULL, NULL, NULL, NULL, 0 FROM turn
                    WHERE id >= ?1 AND kind = 'waiting'
                    ORDER BY 1
                    """, arguments: [replay.from])
            var backfilled = try replay.backfilled.map { _ in try BackfilledCycles(replay, db) }
            // Polls with the same start belong to the same cycle.
            var polls: [RecordedPoll] = []
            var watchedFrom: [Int]?
            func finishCycle() throws {
                guard !polls.isEmpty else { return }
                try body(RecordedCycle(kind: .polls(polls), watched: watchedFrom))
                (polls, watchedFrom) = ([], nil)
            }
            while let row = try rows.next() {
                let id: Int64 = try row.value(0, "poll.id")
                let at: Date = try row.value(1, "poll.at")
                let isPoll: Bool = try row.value(8, "turn")
                if !isPoll || polls.first?.at != at {
                    try finishCycle()
                    try backfilled?.play(before: at, body)
                }
                let watched = changes.upTo(id)
                guard isPoll else {
                    try body(RecordedCycle(kind: .idle(at), watched: watched))
                    continue
                }
                let feed = try row.value(5, "feed.name", as: String?.self) ?? ""
                let fetchedAt = try row.time(2, "poll.fetched_at")
                let poll = RecordedPoll(
                    at: at, fetchedAt: Date(milliseconds: fetchedAt), feed: feed,
                    source: try row.value(6, "poll.alone") ? .own(feed) : .shared,
                    interval: try row.value(7, "poll.interval"), outcome: try row.value(3, "poll.outcome"),
                    error: try row.value(4, "poll.error"),
                    samples: try reading.samples(of: id, fetchedAt: fetchedAt), unknown: try reading.unknown(of: id))
                polls.append(poll)
                watchedFrom = watched ?? watchedFrom
            }
            try finishCycle()
            try backfilled?.play(before: .distantFuture, body)
        }
    }
}

/// Reads the results of polls, with statements prepared once.
struct PollReading {
    private let db: Database
    private let series: ReplaySeries
    private let samples: Statement
    private let unknown: Statement

    init(_ series: ReplaySeries, _ db: Database) throws {
        self.db = db
        self.series = series
        samples = try db.makeStatement(
            sql: """
                SELECT id & \(SampleKey.largestSeries), significand, exponent, age FROM sample
                WHERE \(series.samplesOfPoll) ORDER BY id
                """)
        unknown = try db.makeStatement(sql: "SELECT series, reason FROM unknown WHERE poll = ?")
    }

    /// - Parameter fetchedAt: of the poll, in milliseconds.
    func samples(of poll: Int64, fetchedAt: Int64) throws -> [RecordedPoll.Sample] {
        var found: [RecordedPoll.Sample] = []
        found.reserveCapacity(series.names.count)
        try IntegerRows(db, samples, [poll]).walk { row in
            guard let place = series.place(of: try row.value(0, "sample.id")) else { return }
            found.append(
                .init(
                    market: place, quotedAt: try row.quotedAt(3, "sample.age", fetchedAt: fetchedAt),
                    price: try row.price(1, "sample.significand")))
        }
        return found
    }

    func unknown(of poll: Int64) throws -> [(market: Int, reason: UnknownReason)] {
        var found: [(market: Int, reason: UnknownReason)] = []
        let rows = try Row.fetchCursor(unknown, arguments: [poll])
        while let row = try rows.next() {
            guard let place = series.place(of: try row.value(0, "unknown.series")) else { continue }
            found.append((place, try row.value(1, "unknown.reason")))
        }
        return found
    }
}

/// Passes backfilled prices to the caller between the daemon's cycles, in time order.
struct BackfilledCycles {
    private let rows: RowCursor
    private let series: ReplaySeries
    private var next: (at: Int64, sample: RecordedPoll.Sample, feed: String)?

    init(_ replay: Replay, _ db: Database) throws {
        series = replay.series
        rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT at, sample.id, significand, exponent, name
                FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
                LEFT JOIN feed ON feed.id = feed
                WHERE at >= ? AND backfilled ORDER BY at, poll.id
                """, arguments: [replay.since])
        try step()
    }

    /// The indices of the markets that have backfilled prices.
    static func markets(_ series: ReplaySeries, since: Int64, _ db: Database) throws -> Set<Int> {
        let ids: [Int64] = try db.values(
            "sample.id",
            """
            SELECT DISTINCT sample.id & \(SampleKey.largestSeries)
            FROM poll CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
            WHERE at >= ? AND backfilled
            """, [since])
        return Set(ids.compactMap(series.place))
    }

    mutating func play(before end: Date, _ body: (RecordedCycle) throws -> Void) throws {
        let end = end.milliseconds
        while let (at, first, feed) = next, at < end {
            var samples = [first]
            try step()
            while let (sameTime, sample, _) = next, sameTime == at {
                samples.append(sample)
                try step()
            }
            try body(RecordedCycle(kind: .backfilled(samples, feed: feed)))
        }
    }

    /// Moves to the next price of one of the replay's markets.
    private mutating func step() throws {
        next = nil
        while let row = try rows.next() {
            guard let place = series.place(of: SampleKey.series(try row.value(1, "sample.id"))) else { continue }
            let at = try row.time(0, "poll.at")
            let sample = RecordedPoll.Sample(
                market: place, quotedAt: Date(milliseconds: at), price: try row.price(2, "sample.significand"))
            next = (at, sample, try row.value(4, "feed.name", as: String?.self) ?? "")
            return
        }
    }
}
