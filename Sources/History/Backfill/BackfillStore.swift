import Engine
import Foundation
import GRDB
import Markets

/// A provider's answer about one market's past prices, written in one transaction.
package struct BackfillAnswer: Sendable {
    package var market: MarketID
    package var currency: Currency
    package var feed: String
    /// When the answer was complete.
    package var fetchedAt: Date
    /// The ranges that the answer covers. They are not requested again, even if no price came.
    package var holes: Holes
    /// In any order; prices outside `holes` are dropped.
    package var quotes: [PastQuote]

    package init(
        market: MarketID, currency: Currency, feed: String, fetchedAt: Date, holes: Holes, quotes: [PastQuote]
    ) {
        self.market = market
        self.currency = currency
        self.feed = feed
        self.fetchedAt = fetchedAt
        self.holes = holes
        self.quotes = quotes
    }
}

/// Where backfilled prices are written: the daemon's own history, or the database of a command beside it.
package protocol BackfillStore: Sendable {
    var reader: HistoryReader { get }
    /// Returns the number of new prices.
    func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int
}

extension HistoryWriter: BackfillStore {
    /// Writes a backfill answer in its own transaction, between two polls. Returns the number of new prices.
    @discardableResult
    package func backfill(_ answer: BackfillAnswer) throws(HistoryError) -> Int {
        let queue = try openDatabase()
        let count = try HistoryError.naming("record past prices in", path) {
            try state.withLock { state in
                // A rollback must also undo the series numbers and candles in memory.
                var known = state
                let count = try queue.inImmediateTransaction { db in
                    var next = try WriterState(after: known, db, currency: answer.currency)
                    defer { known = next }
                    return try InsertBackfill.insert(answer, &next.series, &next.candles, db)
                }
                state = known
                return count
            }
        }
        totals.withLock { $0?.add(answer, count) }
        return count
    }
}

extension StoredHistory {
    fileprivate mutating func add(_ answer: BackfillAnswer, _ count: Int) {
        guard count > 0, let first = answer.holes.stretches.first?.lowerBound else { return }
        samples += Int64(count)
        oldestAt = min(oldestAt ?? first, first)
    }
}
