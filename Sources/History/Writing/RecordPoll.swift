import Engine
import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Writes a poll with its samples, candles, alert states and events in one transaction.
    ///
    /// Where the database could not be opened before, it is tried again; one that turns out to be damaged is set aside
    /// and the poll is the first of a new one.
    public func record(_ poll: PollRecord) throws(HistoryError) { try record([poll]) }

    /// Writes what all feeds brought that were asked in one turn, in one transaction.
    public func record(_ polls: [PollRecord]) throws(HistoryError) {
        do {
            try write(polls)
        } catch  where error.kind == .corrupt {
            try replace(damagedBy: error)
            try write(polls)
        }
    }

    private func write(_ polls: [PollRecord]) throws(HistoryError) {
        guard let currency = polls.first?.currency else { return }
        var polls = polls
        try write("record a poll in", carrying: currency) { memory, db in
            for place in polls.indices { try insert(&polls[place], &memory, db) }
        }
        totals.withLock { totals in
            for poll in polls { totals?.add(poll) }
        }
    }

    /// Writes in one transaction with what is known from those before.
    func write(
        _ operation: String, carrying currency: Currency, _ body: (inout CarriedOver, Database) throws -> Void
    ) throws(HistoryError) {
        let queue = try openDatabase()
        do {
            try HistoryError.naming(operation, path) {
                try carried.withLock { carried in
                    // A transaction that fails takes back the numbers it gave out, and the candles it counted.
                    let before = carried
                    carried = nil
                    do {
                        carried = try queue.write { db in
                            var memory = try CarriedOver(after: before, db, currency: currency)
                            try body(&memory, db)
                            return memory
                        }
                    } catch {
                        carried = before
                        throw error
                    }
                }
            }
        } catch {
            if error.kind == .unwritable { abandon(because: error) }
            throw error
        }
        patience.renew()
    }

    private func insert(_ poll: inout PollRecord, _ memory: inout CarriedOver, _ db: Database) throws {
        try noteStart(poll.daemonStart, db)
        let series = try numbers(of: &poll.samples, &memory.series, db)
        let id = try insertPoll(poll, db)
        try trustConfirmed(poll, &memory, db)
        try insertSamples(poll, series, id, &memory, db)
        try insertUnknown(poll, id, &memory.series, db)
        // A poll that failed has the time of this machine's clock alone.
        if poll.outcome.isUsable { try memory.candles.close(before: poll.fetchedAt, db) }
        if !poll.samples.isEmpty { try memory.candles.keepFigures(at: poll.fetchedAt, db) }
        if let watched = poll.watched {
            try memory.watchlist.become(watched, named: poll.named, from: id, &memory.series, db)
        }
        if let ranking = poll.ranking, ranking != memory.ranking {
            try replaceRanking(ranking, db)
            memory.ranking = ranking
        }
        try store(poll.alerts, db)
    }

    private func insertPoll(_ poll: PollRecord, _ db: Database) throws -> Int64 {
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO poll (id, at, fetched_at, feed, outcome, error, samples, backfilled, alone,
                    interval)
                VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
                """)
        try insert.execute(arguments: [
            try TurnRows.nextID(db), poll.at.milliseconds, poll.fetchedAt.milliseconds,
            try FeedIDs.id(of: poll.feed, db), poll.outcome.rawValue, poll.error, poll.samples.count,
            poll.lane != .shared, poll.interval.inMilliseconds,
        ])
        return db.lastInsertedRowID
    }

    /// The series of each sample. Those for which no number is left are taken out.
    private func numbers(
        of samples: inout [Sample], _ series: inout SeriesIDs, _ db: Database
    ) throws -> [Int64] {
        let numbers = try samples.map { try series.id(of: $0.market, symbol: $0.symbol, name: $0.name, db) }
        if numbers.contains(nil) { samples = zip(samples, numbers).filter { $1 != nil }.map { $0.0 } }
        return numbers.compactMap { $0 }
    }

    private func insertSamples(
        _ poll: PollRecord, _ numbers: [Int64], _ id: Int64, _ memory: inout CarriedOver, _ db: Database
    ) throws {
        guard !poll.samples.isEmpty else { return }
        let insert = try IntegerInsert(
            db, "INSERT INTO sample (id, significand, exponent, age, confirmed) VALUES (?, ?, ?, ?, ?)")
        let fetchedAt = poll.fetchedAt.milliseconds
        // In the order of the key, so that every page is appended to and none is split.
        for (place, series) in numbers.enumerated().sorted(by: { $0.element < $1.element }) {
            let sample = poll.samples[place]
            let quotedAt = sample.quotedAt.milliseconds
            try insert.run(
                SampleKey.id(poll: id, series: series), sample.price.significand, Int64(sample.price.exponent),
                fetchedAt - quotedAt, sample.confirmed ? 1 : 0)
            guard sample.confirmed else { continue }
            try memory.candles.add(sample, quotedAt: quotedAt, series, db)
        }
    }

    private func insertUnknown(
        _ poll: PollRecord, _ id: Int64, _ series: inout SeriesIDs, _ db: Database
    ) throws {
        guard !poll.unknown.isEmpty else { return }
        let insert = try db.cachedStatement(sql: "INSERT INTO unknown (poll, series, reason) VALUES (?, ?, ?)")
        for (market, reason) in poll.unknown {
            guard let number = try series.id(of: market, db) else { continue }
            try insert.execute(arguments: [id, number, reason.rawValue])
        }
    }

    private func replaceRanking(_ ranking: [MarketID], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM ranking")
        let insert = try db.cachedStatement(sql: "INSERT INTO ranking (place, market) VALUES (?, ?)")
        for (place, market) in ranking.enumerated() { try insert.execute(arguments: [place + 1, market.text]) }
    }
}
