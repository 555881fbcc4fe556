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

/// Inserts backfilled prices between the recorded ones. Each gets its own poll row, marked `backfilled`, at the time of
/// the price: polls in time order hold prices in time order.
enum InsertBackfill {
    static func insert(_ answer: BackfillAnswer, _ state: inout WriterState, _ db: Database) throws -> Int {
        let id = try state.series.id(of: answer.market, in: answer.currency, db)
        try add(answer.holes.stretches, of: id, db)
        let quotes = try new(answer, id, db)
        guard !quotes.isEmpty else { return 0 }
        let feed = try FeedIDs.id(of: answer.feed, db)
        let sample = try SampleInsert(db)
        let fetchedAt = answer.fetchedAt.milliseconds
        var hours: [Int64: PastQuote] = [:]
        for quote in quotes {
            let quotedAt = quote.quotedAt.milliseconds
            try db.run(
                """
                INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled)
                VALUES (?, ?, ?, ?, 'ok', 1, 1)
                """, [try TurnRows.nextID(db), quotedAt, fetchedAt, feed])
            try sample.insert(
                poll: db.lastInsertedRowID, series: id, quote.price, age: fetchedAt - quotedAt, confirmed: true)
            hours[Hour.of(quotedAt)] = quote
        }
        try state.candles.recount(id, hours, db)
        return quotes.count
    }

    /// Merges adjacent ranges, so that their number stays small.
    private static func add(_ stretches: [Range<Date>], of series: Int64, _ db: Database) throws {
        for stretch in stretches {
            let arguments: StatementArguments = [
                series, stretch.lowerBound.milliseconds, stretch.upperBound.milliseconds,
            ]
            let touching = "series = ?1 AND since <= ?3 AND until >= ?2"
            try db.run(
                """
                INSERT INTO healed (series, since, until)
                SELECT ?1, ifnull(min(?2, min(since)), ?2), ifnull(max(?3, max(until)), ?3) FROM healed WHERE \(touching)
                """, arguments)
            try db.run("DELETE FROM healed WHERE \(touching) AND id < last_insert_rowid()", arguments)
        }
    }

    /// The prices that are not recorded yet, oldest first. Skips a price if the next poll after it holds a quote as
    /// old or older: the provider had nothing newer then.
    private static func new(_ answer: BackfillAnswer, _ series: Int64, _ db: Database) throws -> [PastQuote] {
        let wanted = answer.quotes.filter { answer.holes.contains($0.quotedAt) && $0.quotedAt <= answer.fetchedAt }
            .sorted { $0.quotedAt < $1.quotedAt }
        guard let first = wanted.first, let last = wanted.last else { return [] }
        let recorded: [(at: Int64, quotedAt: Int64)] = try db.all(
            """
            SELECT poll.at, poll.fetched_at - sample.age
            FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
            WHERE poll.at >= ?2 AND poll.at <= ?3
            ORDER BY poll.at, poll.id
            """,
            [series, first.quotedAt.milliseconds - OpenCandles.slack, last.quotedAt.milliseconds + Hour.day]
        ) { (try $0.time(0), try $0.time(1)) }
        var place = 0
        var new: [PastQuote] = []
        for quote in wanted {
            let quotedAt = quote.quotedAt.milliseconds
            if let last = new.last, last.quotedAt.milliseconds == quotedAt { continue }
            while place < recorded.count, recorded[place].at < quotedAt { place += 1 }
            if place < recorded.count, recorded[place].quotedAt <= quotedAt { continue }
            if place > 0, recorded[place - 1].quotedAt >= quotedAt { continue }
            new.append(quote)
        }
        return new
    }
}
