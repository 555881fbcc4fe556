import Engine
import Foundation
import GRDB
import Markets

/// Writes the poll of a commit.
extension HistoryWriter {
    func insert(_ poll: PollRecord, _ state: inout WriterState, _ db: Database) throws {
        let id = try insertPoll(poll, db)
        try trustConfirmed(poll, id, &state, db)
        try insertSamples(poll, id, &state, db)
        for (market, reason) in poll.unknown {
            let series = try state.series.id(of: market, in: poll.currency, db)
            try db.run("INSERT INTO unknown (poll, series, reason) VALUES (?, ?, ?)", [id, series, reason.rawValue])
        }
        // The time of a failed poll comes from the local clock alone.
        if poll.outcome.isUsable { try state.candles.close(before: poll.fetchedAt, db) }
        if let watched = poll.watched { try state.watchlist.become(watched, from: id, &state.series, db) }
        if let ranking = poll.ranking, ranking != state.ranking {
            try replaceRanking(ranking, db)
            state.ranking = ranking
        }
    }

    private func insertPoll(_ poll: PollRecord, _ db: Database) throws -> Int64 {
        try db.run(
            """
            INSERT INTO poll (id, at, fetched_at, feed, outcome, error, samples, backfilled, alone, interval)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
            """,
            [
                try TurnRows.nextID(db), poll.at.milliseconds, poll.fetchedAt.milliseconds,
                try FeedIDs.id(of: poll.feed, db), poll.outcome.rawValue, poll.error, poll.samples.count,
                poll.source != .shared, poll.interval.inMilliseconds,
            ])
        return db.lastInsertedRowID
    }

    private func insertSamples(_ poll: PollRecord, _ id: Int64, _ state: inout WriterState, _ db: Database) throws {
        guard !poll.samples.isEmpty else { return }
        let numbers = try poll.samples.map {
            try state.series.id(of: $0.market, in: poll.currency, symbol: $0.symbol, name: $0.name, db)
        }
        let insert = try SampleInsert(db)
        let fetchedAt = poll.fetchedAt.milliseconds
        // Inserts in key order, so that pages are appended to and not split.
        for (place, series) in numbers.enumerated().sorted(by: { $0.element < $1.element }) {
            let sample = poll.samples[place]
            let quotedAt = sample.quotedAt.milliseconds
            try insert.insert(
                poll: id, series: series, sample.price, age: fetchedAt - quotedAt, confirmed: sample.confirmed)
            let amounts = sample.amounts ?? ""
            if amounts != state.portfolios[series]?.amounts ?? "" {
                state.portfolios[series] = try ComputedSeries(
                    amounts, of: series, from: id, fetchedAt: fetchedAt, db)
            }
            if sample.confirmed { try state.candles.add(sample, quotedAt: quotedAt, series, db) }
        }
    }

    private func replaceRanking(_ ranking: [MarketID], _ db: Database) throws {
        try db.execute(sql: "DELETE FROM ranking")
        for (place, market) in ranking.enumerated() {
            try db.run("INSERT INTO ranking (place, market) VALUES (?, ?)", [place + 1, market.text])
        }
    }

    /// Marks the samples of moves that this poll confirmed as trusted, and adds them to their hours' candles.
    private func trustConfirmed(
        _ poll: PollRecord, _ id: Int64, _ state: inout WriterState, _ db: Database
    ) throws {
        for move in poll.moves where move.stage == .confirmed {
            let series = try state.series.id(of: move.market, in: poll.currency, db)
            // Polls are indexed by start, which is some time before the answer was complete.
            let confirmed: [Int64] = try db.values(
                """
                UPDATE sample SET confirmed = 1 WHERE NOT confirmed AND id IN (
                    SELECT (id << 20) + ?1 FROM poll
                    WHERE at BETWEEN ?2 - \(OpenCandles.slack) AND ?2 AND fetched_at = ?2)
                RETURNING id
                """, [series, move.price.fetchedAt.milliseconds])
            // Skips samples that could not be recorded.
            guard !confirmed.isEmpty else { continue }
            for sample in confirmed {
                try db.run("INSERT OR REPLACE INTO confirmation (poll, sample) VALUES (?, ?)", [id, sample])
            }
            let sample = Sample(
                market: move.market, symbol: "", name: "", price: move.price.price, quotedAt: move.price.quotedAt)
            try state.candles.add(sample, quotedAt: sample.quotedAt.milliseconds, series, db)
        }
    }
}
