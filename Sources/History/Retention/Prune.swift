import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Deletes what exceeds `retention`, in steps short enough not to delay a poll. Returns early when its task is
    /// cancelled.
    ///
    /// A sample whose hour has no candle yet is kept, whatever its age and the size.
    ///
    /// - Parameter now: the time from which ages count; must not come from a clock that may be wrong.
    package func prune(to retention: Retention, now: Date) async throws(HistoryError) -> Pruned {
        var pruned = Pruned()
        var pace = Pace()
        let queue = try openDatabase()
        let before = reader.bytesOnDisk()
        let lostBefore = try reader.read(ExportRows.lost)
        // The series deleted by the last step.
        var gone: Set<Int64> = []
        func steps(_ step: (Database, _ rows: Int) throws -> Int) async throws(HistoryError) {
            while !Task.isCancelled {
                let clock = ContinuousClock.now
                let rows = pace.rows
                let done = try HistoryError.naming("prune", path) {
                    // Locked, so that no poll runs in between: the series numbers are reused.
                    try state.withLock { state in
                        let done = try queue.write { try step($0, rows) }
                        if !gone.isEmpty { state?.series.forget(gone) }
                        gone = []
                        return done
                    }
                }
                pruned.longestStep = max(pruned.longestStep, pace.took(ContinuousClock.now - clock))
                if done == 0 { return }
                // Yields disk and processor; a waiting poll goes first in any case.
                try? await Task.sleep(for: Pace.rest)
            }
        }

        if let age = retention.samples {
            try await steps { try oldestPolls($0, before: now - age, atMost: $1, &pruned) }
        }
        if let age = retention.candles {
            let cutoff = now - max(age, retention.samples ?? age)
            if retention.samples != nil { try await steps { try oldCandles($0, before: cutoff, atMost: $1, &pruned) } }
            try await steps { try oldEvents($0, before: cutoff, atMost: $1, &pruned) }
        }
        let limit = retention.maxSize.flatMap { before > $0 ? $0 : nil }
        // A little below the limit, so that it is not reached again within the hour.
        let target = limit.map { $0 - $0 / 20 } ?? .max
        if limit != nil {
            try await steps { db, rows in
                guard try Pages(db).bytesInUse > target else { return 0 }
                return try oldestPolls(db, before: .distantFuture, atMost: rows, &pruned)
            }
        }
        // The next polls reuse free pages; only the surplus is returned to the file system.
        try await steps { db, rows in
            let pages = try Pages(db)
            let isSurplus = pages.free > Self.freePagesKept && pages.free > pages.all / 4
            return isSurplus || pages.bytesReserved > target ? try Pages.giveBack(db, pages: rows / 16) : 0
        }
        if pruned.samples > 0 || limit != nil {
            try HistoryError.naming("prune", path) { try DatabaseFile.checkpoint(queue) }
        }
        pruned.isStillTooLarge = limit.map { reader.bytesOnDisk() > $0 } ?? false
        if pruned.polls > 0 { try write("prune", moveWatchlistUp) }
        try await steps { db, rows in
            gone = try forgottenSeries(db, atMost: rows)
            pruned.series += Int64(gone.count)
            return gone.count
        }
        pruned.lost = try reader.read(ExportRows.lost)
            .merging(lostBefore) { now, before in now - before }.filter { $0.value > 0 }
        pruned.bytes = before - reader.bytesOnDisk()
        if pruned.polls > 0 { totals.withLock { $0 = nil } }
        return pruned
    }

    private static let freePagesKept: Int64 = 1024
    private static let pollsAStep = 256

    /// Deletes the oldest polls whose hours have candles; at least one poll, however large. The newest row stays: ids
    /// are never used again.
    private func oldestPolls(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws
        -> Int
    {
        let settled = try OpenCandles.until(db) * Hour.milliseconds - OpenCandles.slack
        let limit = min(cutoff.milliseconds, settled)
        let oldest: [(id: Int64, samples: Int)] = try db.all(
            """
            SELECT id, samples FROM poll WHERE at < ? AND id < (SELECT max(id) FROM poll) ORDER BY at, id LIMIT ?
            """, [limit, min(rows, Self.pollsAStep)]
        ) { (try $0.value(0), try $0.value(1)) }
        var done = 0
        for (id, samples) in oldest {
            if done > 0, done + samples > rows { break }
            try ExportRows.countLost(in: id, db)
            try db.run("DELETE FROM confirmation WHERE poll = ?", [id])
            try db.run("DELETE FROM sample WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575", [id])
            try db.run("DELETE FROM unknown WHERE poll = ?", [id])
            try db.run("DELETE FROM poll WHERE id = ?", [id])
            pruned.samples += Int64(samples)
            pruned.polls += 1
            done += samples + 1
        }
        return done
    }

    private func oldCandles(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws -> Int
    {
        guard let hour = try Hour.oldestCandle(db), hour < Hour.of(cutoff.milliseconds) else { return 0 }
        // An hour with many markets is deleted in parts.
        try db.run(
            """
            DELETE FROM candle WHERE hour = ?1 AND series IN
                (SELECT series FROM candle WHERE hour = ?1 ORDER BY series LIMIT ?2)
            """, [hour, rows])
        pruned.candles += Int64(db.changesCount)
        return db.changesCount
    }

    /// Keeps the last event of each alert, which explains the alert's state, and the events of queued messages.
    private func oldEvents(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws -> Int
    {
        try db.run(
            """
            DELETE FROM event WHERE id IN (
                SELECT id FROM event WHERE at < ?1 AND logged AND EXISTS
                    (SELECT 1 FROM event AS later
                     WHERE later.rule = event.rule AND later.market = event.market AND later.id > event.id)
                  AND id NOT IN (SELECT event FROM message_event)
                LIMIT ?2)
            """, [cutoff.milliseconds, rows / 8 + 1])
        pruned.events += Int64(db.changesCount)
        return db.changesCount
    }

    /// Records the watchlist of the oldest remaining poll at that poll.
    private func moveWatchlistUp(_ db: Database) throws {
        let first = "SELECT min(id) FROM poll WHERE NOT backfilled"
        guard let oldest: Int64 = try db.value(first) else { return }
        try db.run(
            """
            INSERT OR IGNORE INTO watch (poll, series, watched)
            SELECT ?1, series, watched FROM
                (SELECT series, watched, max(poll) FROM watch WHERE poll < ?1 GROUP BY series) WHERE watched
            """, [oldest])
        try db.run("DELETE FROM watch WHERE poll < ?", [oldest])
        try db.run("DELETE FROM turn WHERE id < ?", [oldest])
    }
}

/// The database's disk use, in pages.
private struct Pages {
    let free: Int64
    let all: Int64
    /// Bytes that cannot be returned to the file system, including the WAL's share.
    let bytesInUse: Int64
    /// Bytes of the database, including free pages and the WAL's share.
    let bytesReserved: Int64

    init(_ db: Database) throws {
        free = try db.value("PRAGMA freelist_count") ?? 0
        all = try db.value("PRAGMA page_count") ?? 0
        let size: Int64 = try db.value("PRAGMA page_size") ?? 4096
        let log = Int64(DatabaseFile.logPages) * 4096
        bytesInUse = (all - free) * size + log
        bytesReserved = all * size + log
    }

    /// Returns free pages to the file system. Returns the number of pages.
    static func giveBack(_ db: Database, pages count: Int) throws -> Int {
        let before = try Pages(db).all
        try db.execute(sql: "PRAGMA incremental_vacuum(\(max(1, count)))")
        return Int(before - (try Pages(db).all))
    }
}

/// The number of rows of a step, adapted so that it takes a few milliseconds on this machine.
struct Pace {
    private(set) var rows = 500

    static let rest = Duration.milliseconds(5)
    private static let aim = Duration.milliseconds(8)

    mutating func took(_ time: Duration) -> Duration {
        rows = time > Self.aim ? max(32, rows / 2) : min(16_384, rows + rows / 4)
        return time
    }
}

/// Limits of the history's age and size.
package struct Retention: Hashable, Sendable {
    /// Every recorded price; nil: forever.
    package var samples: Duration?
    /// Hourly candles and alert events; nil: forever. Never shorter than `samples` in effect.
    package var candles: Duration?
    /// Bytes of database and write-ahead log on disk; the oldest samples go first, candles stay.
    package var maxSize: Int64?

    package init(samples: Duration? = nil, candles: Duration? = nil, maxSize: Int64? = nil) {
        self.samples = samples
        self.candles = candles
        self.maxSize = maxSize
    }
}

/// What `prune` deleted.
package struct Pruned: Hashable, Sendable {
    package var samples: Int64 = 0
    package var polls: Int64 = 0
    package var candles: Int64 = 0
    package var events: Int64 = 0
    /// Series of markets without any data left.
    package var series: Int64 = 0
    /// Samples that an export had not sent, by its name.
    package var lost: [String: Int] = [:]
    /// By how many bytes the files shrank.
    package var bytes: Int64 = 0
    /// The longest time that a step blocked the database.
    package var longestStep = Duration.zero
    /// True if the history exceeds `maxSize` with nothing left to delete.
    package var isStillTooLarge = false

    package init() {}

    package var isEmpty: Bool {
        samples == 0 && polls == 0 && candles == 0 && events == 0 && series == 0 && bytes <= 0
    }
}

/// There are 2^20 series numbers, and every market that was ever watched takes one. Markets that were watched for their
/// rank only and left no data give theirs back.
extension HistoryWriter {
    /// Deletes series that the configuration never named, that are not watched now, and that have neither samples nor
    /// candles, with all rows about them.
    ///
    /// A series with many samples has a candle, so only series without one are looked up among the samples: in the
    /// polls that watched them, and in the hours without candles.
    func forgottenSeries(_ db: Database, atMost rows: Int) throws -> Set<Int64> {
        let open = try OpenCandles.until(db) * Hour.milliseconds - OpenCandles.slack
        let found: [(id: Int64, first: Int64?, last: Int64?)] = try db.all(
            """
            SELECT id, first, last FROM series LEFT JOIN (
                SELECT series, min(poll) AS first, max(poll) AS last, max(poll * 2 + watched) % 2 AS is_watched
                FROM watch GROUP BY series
            ) AS span ON span.series = id
            WHERE NOT named AND NOT ifnull(is_watched, 0) AND ifnull(newest_candle < ?1, 1)
                AND NOT EXISTS (SELECT 1 FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + series.id
                                WHERE poll.id BETWEEN first AND last)
                AND NOT EXISTS (SELECT 1 FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + series.id
                                WHERE poll.at >= ?2)
            LIMIT ?3
            """, [try Hour.oldestCandle(db), open, rows]
        ) { (try $0.series(0), try $0.value(1), try $0.value(2)) }
        guard !found.isEmpty else { return [] }
        for series in found {
            try db.run(
                "DELETE FROM unknown WHERE series = ?1 AND poll IN (SELECT id FROM poll WHERE id BETWEEN ?2 AND ?3)",
                [series.id, series.first, series.last])
        }
        let list = found.map { String($0.id) }.joined(separator: ", ")
        for table in ["watch", "healed", "stated", "portfolio"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE series IN (\(list))")
        }
        try db.execute(sql: "DELETE FROM series WHERE id IN (\(list))")
        return Set(found.map(\.id))
    }
}
