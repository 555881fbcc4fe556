import Engine
import Foundation
import GRDB
import Markets

extension HistoryWriter {
    /// Writes a commit in one transaction, then reads the past prices that it requests.
    ///
    /// A damaged database is quarantined, and the commit goes into a new one. A database that cannot be written is
    /// opened again at the next commit.
    package func commit(_ commit: Commit) -> CommitResult {
        var failure = fault
        if !commit.isEmpty {
            do {
                try writeReplacingDamaged(commit)
                failure = nil
            } catch {
                failure = error
            }
        }
        var result = CommitResult(fault: failure?.description, installation: installation, stored: stored)
        result.quarantined = takeQuarantined()
        result.past = commit.pastNeeded.flatMap { try? reader.pastPrices(in: $0.currencies, polledIn: $0.polled) }
        return result
    }

    private func writeReplacingDamaged(_ commit: Commit) throws(HistoryError) {
        do {
            try write(commit)
        } catch  where error.kind == .corrupt {
            try replace(damagedBy: error)
            try write(commit)
        }
    }

    private func write(_ commit: Commit) throws(HistoryError) {
        try write(commit.polls.isEmpty ? "write to" : "record a poll in") { state, db in
            for (name, export) in commit.exports { try ExportRows.write(export, named: name, db) }
            for poll in commit.polls { try insert(poll, &state, db) }
            if let cycle = commit.idleCycle {
                let turn = try TurnRows.insertIdleCycle(at: cycle.at, db)
                try state.watchlist.become(cycle.watched, from: turn, &state.series, db)
            }
            let newEvents = try insertAlerts(of: commit, db)
            for change in commit.outbox { try apply(change, newEvents: newEvents, db) }
        }
        totals.withLock { totals in
            for poll in commit.polls {
                totals?.samples += Int64(poll.samples.count)
                let oldest = totals?.oldestAt ?? poll.at
                totals?.oldestAt = min(oldest, poll.at)
            }
        }
    }

    /// Runs `body` in one transaction, with the cached state of earlier transactions.
    private func write(
        _ operation: String, _ body: (inout WriterState, Database) throws -> Void
    ) throws(HistoryError) {
        let queue = try openDatabase()
        do {
            try HistoryError.naming(operation, path) {
                try state.withLock { state in
                    // A rollback must also undo the series numbers and candles in memory.
                    let before = state
                    state = nil
                    do {
                        state = try queue.write { db in
                            var next = try WriterState(after: before, db)
                            try body(&next, db)
                            return next
                        }
                    } catch {
                        state = before
                        throw error
                    }
                }
            }
        } catch {
            if error.kind == .unwritable { abandon(because: error) }
            throw error
        }
    }
}

extension HistoryWriter {
    /// Writes a backfill answer in its own transaction, between two polls. Returns the number of new prices.
    @discardableResult
    package func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int {
        var count = 0
        try write("record past prices in") { state, db in
            count = try InsertBackfill.insert(answer, &state, db)
        }
        if count > 0 { totals.withLock { $0 = nil } }
        return count
    }

    /// True if another process wrote to the database since the last call.
    package func changedByOthers() throws(HistoryError) -> Bool {
        let version: Int64 = try reader.value("PRAGMA data_version") ?? 0
        let isChanged = seenVersion.withLock { seen in
            defer { seen = version }
            return seen != version
        }
        // Other processes may have backfilled prices.
        if isChanged { totals.withLock { $0 = nil } }
        return isChanged
    }
}
