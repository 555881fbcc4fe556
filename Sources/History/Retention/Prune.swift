import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Takes out what is older or more than `retention` allows, in steps so short that a poll never waits for long,
    /// and ends early when its task is cancelled.
    ///
    /// A sample whose hour has no candle yet stays, whatever its age and whatever the size.
    ///
    /// - Parameter now: what ages are counted from: not a clock that may be wrong.
    public func prune(to retention: Retention, now: Date) async throws(HistoryError) -> Pruned {
        var pruned = Pruned()
        var pace = Pace()
        let queue = try openDatabase()
        let before = reader.bytesOnDisk()
        // The series that the last step took out.
        var gone: Set<Int64> = []
        func steps(_ step: (Database, _ rows: Int) throws -> Int) async throws(HistoryError) {
            while !Task.isCancelled {
                let clock = ContinuousClock.now
                let rows = pace.rows
                let done = try HistoryError.naming("prune", path) {
                    // No poll comes in between: their numbers are given out again.
                    try carried.withLock { memory in
                        let done = try queue.write { try step($0, rows) }
                        if !gone.isEmpty { memory?.series.forget(gone) }
                        gone = []
                        return done
                    }
                }
                pruned.longestStep = max(pruned.longestStep, pace.took(ContinuousClock.now - clock))
                if done == 0 { return }
                // Leaves disk and processor to others for a while; a poll that waits comes next in any case.
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
        if let limit = retention.maxSize, before > limit {
            // A little below the limit, so that it is not reached again within the hour.
            let target = limit - limit / 20
            try await steps { db, rows in
                guard try bytesInUse(db) > target else { return 0 }
                return try oldestPolls(db, before: .distantFuture, atMost: rows, &pruned)
            }
            try await steps { db, rows in
                guard try bytesReserved(db) > target else { return 0 }
                return try giveBack(db, pages: rows / 16)
            }
            try foldLog(queue)
            pruned.isStillTooLarge = reader.bytesOnDisk() > limit
        } else {
            // Free pages are used again by the next polls; only what they would not fill for long is given back.
            try await steps { db, rows in
                let (free, all) = try pages(db)
                return free > Self.freePagesKept && free > all / 4 ? try giveBack(db, pages: rows / 16) : 0
            }
            if pruned.samples > 0 { try foldLog(queue) }
        }
        if pruned.polls > 0 { try HistoryError.naming("prune", path) { try queue.write(moveWatchlistUp) } }
        try await steps { db, rows in
            gone = try forgottenSeries(db, atMost: rows)
            pruned.series += Int64(gone.count)
            return gone.count
        }
        pruned.bytes = before - reader.bytesOnDisk()
        if pruned.polls > 0 { try recountOldest() }
        return pruned
    }

    private static let freePagesKept: Int64 = 1024
    private static let pollsAStep = 256

    /// Takes out the oldest polls whose hours have their candles; one poll at least, however large.
    private func oldestPolls(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws
        -> Int
    {
        let settled = try OpenCandles.until(db) * Hour.milliseconds - OpenCandles.slack
        let limit = min(cutoff.milliseconds, settled)
        let oldest = try db.cachedStatement(sql: "SELECT id, samples FROM poll WHERE at < ? ORDER BY at, id LIMIT ?")
        let deletions = try [
            "DELETE FROM sample WHERE id BETWEEN ?1 << 20 AND (?1 << 20) + 1048575",
            "DELETE FROM unknown WHERE poll = ?1", "DELETE FROM poll WHERE id = ?1",
        ].map { try db.cachedStatement(sql: $0) }
        var done = 0
        let before = pruned.samples
        for row in try Row.fetchAll(oldest, arguments: [limit, min(rows, Self.pollsAStep)]) {
            let (id, samples): (Int64, Int) = (try row.value(0, "poll.id"), try row.value(1, "poll.samples"))
            if done > 0, done + samples > rows { break }
            for deletion in deletions { try deletion.execute(arguments: [id]) }
            pruned.samples += Int64(samples)
            pruned.polls += 1
            done += samples + 1
        }
        let samples = pruned.samples - before
        // On the connection's own queue, as they are counted: whoever counts anew meanwhile does so before or after.
        db.afterNextTransaction { [self] _ in totals.withLock { $0?.samples -= samples } }
        return done
    }

    private func oldCandles(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws -> Int
    {
        let oldest = "SELECT min(hour) FROM candle"
        guard let hour = try db.value("candle.hour", oldest, as: HourNumber?.self)??.number,
            hour < Hour.of(cutoff.milliseconds)
        else { return 0 }
        // An hour of many markets is taken in parts.
        try db.execute(
            sql: """
                DELETE FROM candle WHERE hour = ?1 AND series IN
                    (SELECT series FROM candle WHERE hour = ?1 ORDER BY series LIMIT ?2)
                """, arguments: [hour, rows])
        pruned.candles += Int64(db.changesCount)
        return db.changesCount
    }

    /// The last event of each alert stays: it tells where the alert stands. So does what waits to be sent.
    private func oldEvents(_ db: Database, before cutoff: Date, atMost rows: Int, _ pruned: inout Pruned) throws -> Int
    {
        try db.execute(
            sql: """
                DELETE FROM event WHERE id IN (
                    SELECT id FROM event WHERE at < ?1 AND logged AND EXISTS
                        (SELECT 1 FROM event AS later
                         WHERE later.rule = event.rule AND later.market = event.market AND later.id > event.id)
                      AND id NOT IN (SELECT event FROM message_event)
                    LIMIT ?2)
                """, arguments: [cutoff.milliseconds, rows / 8 + 1])
        pruned.events += Int64(db.changesCount)
        return db.changesCount
    }

    /// What was watched at the oldest poll is told from there on.
    private func moveWatchlistUp(_ db: Database) throws {
        let first = "SELECT min(id) FROM poll WHERE NOT backfilled"
        guard let oldest = try db.value("poll.id", first, as: Int64?.self) ?? nil else { return }
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO watch (poll, series, watched)
                SELECT ?1, series, watched FROM
                    (SELECT series, watched, max(poll) FROM watch WHERE poll < ?1 GROUP BY series) WHERE watched
                """, arguments: [oldest])
        try db.execute(sql: "DELETE FROM watch WHERE poll < ?", arguments: [oldest])
        try db.execute(sql: "DELETE FROM turn WHERE id < ?", arguments: [oldest])
    }

    private func recountOldest() throws(HistoryError) {
        let oldest = try reader.oldestPoll()
        totals.withLock { $0?.oldestAt = oldest }
    }
}

/// How many rows a step may take so that it lasts a few milliseconds on this machine.
private struct Pace {
    private(set) var rows = 500

    static let rest = Duration.milliseconds(5)
    private static let aim = Duration.milliseconds(8)

    mutating func took(_ time: Duration) -> Duration {
        rows = time > Self.aim ? max(32, rows / 2) : min(16_384, rows + rows / 4)
        return time
    }
}
