import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Writes a poll with its samples, alert states and events in one transaction.
    public func record(_ poll: PollRecord) throws(HistoryError) {
        try HistoryError.naming("record a poll in", path) {
            try series.withLock { known in
                // A transaction that fails takes back the numbers it gave out.
                var ids = known.flatMap { $0.speaks(of: poll.currency) ? $0 : nil }
                known = nil
                try queue.write { db in
                    var series = try ids ?? SeriesIDs(db, currency: poll.currency)
                    let id = try insertPoll(poll, db)
                    try insertSamples(poll, id, &series, db)
                    try insertUnknown(poll, id, &series, db)
                    if let ranking = poll.ranking { try replaceRanking(ranking, db) }
                    try store(poll.alerts, db)
                    ids = series
                }
                known = ids
            }
        }
    }

    private func insertPoll(_ poll: PollRecord, _ db: Database) throws -> Int64 {
        let find = try db.cachedStatement(sql: "SELECT id FROM feed WHERE name = ?")
        var feed = try Int64.fetchOne(find, arguments: [poll.feed])
        if feed == nil {
            try db.execute(sql: "INSERT INTO feed (name) VALUES (?)", arguments: [poll.feed])
            feed = db.lastInsertedRowID
        }
        let insert = try db.cachedStatement(
            sql: "INSERT INTO poll (at, fetched_at, feed, outcome, error, samples) VALUES (?, ?, ?, ?, ?, ?)")
        try insert.execute(arguments: [
            poll.at.milliseconds, poll.fetchedAt.milliseconds, feed, poll.outcome.rawValue, poll.error,
            poll.samples.count,
        ])
        return db.lastInsertedRowID
    }

    private func insertSamples(_ poll: PollRecord, _ id: Int64, _ series: inout SeriesIDs, _ db: Database) throws {
        let insert = try IntegerInsert(
            db, "INSERT INTO sample (poll, series, significand, exponent, age, confirmed) VALUES (?, ?, ?, ?, ?, ?)")
        let fetchedAt = poll.fetchedAt.milliseconds
        var rows: [(Int64, Sample)] = []
        for sample in poll.samples {
            rows.append((try series.id(of: sample.market, symbol: sample.symbol, name: sample.name, db), sample))
        }
        // In the order of the key, so that every page is appended to and none is split.
        for (series, sample) in rows.sorted(by: { $0.0 < $1.0 }) {
            try insert.run(
                id, series, sample.price.significand, Int64(sample.price.exponent),
                fetchedAt - sample.quotedAt.milliseconds, 1)
        }
    }

    private func insertUnknown(_ poll: PollRecord, _ id: Int64, _ series: inout SeriesIDs, _ db: Database) throws {
        guard !poll.unknown.isEmpty else { return }
        let insert = try db.cachedStatement(sql: "INSERT INTO unknown (poll, series, reason) VALUES (?, ?, ?)")
        for (market, reason) in poll.unknown {
            try insert.execute(arguments: [id, try series.id(of: market, db), reason.rawValue])
        }
    }

    private func replaceRanking(_ ranking: [MarketID], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM ranking")
        let insert = try db.cachedStatement(sql: "INSERT INTO ranking (place, market) VALUES (?, ?)")
        for (place, market) in ranking.enumerated() { try insert.execute(arguments: [place + 1, market.text]) }
    }
}
