import Engine
import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// The samples of moves that this poll bore out are trusted from now on, and belong to their hours' candles.
    func trustConfirmed(_ poll: PollRecord, _ memory: inout CarriedOver, _ db: Database) throws {
        let confirmed = poll.moves.filter { $0.stage == .confirmed }
        guard !confirmed.isEmpty else { return }
        let trust = try db.cachedStatement(sql: "UPDATE sample SET confirmed = 1 WHERE id = ? AND NOT confirmed")
        // Moves that waited for the same poll were brought by the same one, too.
        var polls: [Int64: [Int64]] = [:]
        for move in confirmed {
            let fetchedAt = move.price.fetchedAt.milliseconds
            let found = try polls[fetchedAt] ?? Self.polls(fetchedAt: fetchedAt, db)
            polls[fetchedAt] = found
            guard let series = try memory.series.id(of: move.market, db) else { continue }
            for poll in found {
                try trust.execute(arguments: [SampleKey.id(poll: poll, series: series)])
                // It is not there where it could not be recorded.
                guard db.changesCount > 0 else { continue }
                let sample = Sample(
                    market: move.market, symbol: "", name: "", price: move.price.price, quotedAt: move.price.quotedAt)
                try memory.candles.add(sample, quotedAt: sample.quotedAt.milliseconds, series, db)
            }
        }
    }

    /// A poll is found by its beginning, which lies some time before its answer was complete.
    private static func polls(fetchedAt: Int64, _ db: Database) throws -> [Int64] {
        let find = try db.cachedStatement(
            sql: "SELECT id FROM poll WHERE at BETWEEN ?1 - \(OpenCandles.slack) AND ?1 AND fetched_at = ?1")
        return try find.values("poll.id", [fetchedAt])
    }
}
