import Foundation
import GRDB
import Markets

/// Inserts backfilled prices between the recorded ones. Each gets its own poll row, marked `backfilled`, at the time of
/// the price: polls in time order hold prices in time order.
enum InsertBackfill {
    static func insert(
        _ answer: BackfillAnswer, _ series: inout SeriesIDs, _ candles: inout OpenCandles, _ db: Database
    ) throws -> Int {
        guard let id = try series.id(of: answer.market, db) else { return 0 }
        try BackfilledStretches.add(answer.holes.stretches, of: id, db)
        let quotes = try new(answer, id, db)
        guard !quotes.isEmpty else { return 0 }
        let feed = try FeedIDs.id(of: answer.feed, db)
        let poll = try db.cachedStatement(
            sql: """
                INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled)
                VALUES (?, ?, ?, ?, 'ok', 1, 1)
                """)
        let sample = try IntegerInsert(
            db, "INSERT INTO sample (id, significand, exponent, age, confirmed) VALUES (?, ?, ?, ?, ?)")
        let fetchedAt = answer.fetchedAt.milliseconds
        var hours: [Int64: PastQuote] = [:]
        for quote in quotes {
            let quotedAt = quote.quotedAt.milliseconds
            try poll.execute(arguments: [try TurnRows.nextID(db), quotedAt, fetchedAt, feed])
            try sample.run(
                SampleKey.id(poll: db.lastInsertedRowID, series: id), quote.price.significand,
                Int64(quote.price.exponent), fetchedAt - quotedAt, 1)
            hours[Hour.of(quotedAt)] = quote
        }
        try candles.recount(id, hours, db)
        return quotes.count
    }

    /// The prices that are not recorded yet, oldest first. Skips a price if the next poll after it holds a quote as
    /// old or older: the provider had nothing newer then.
    private static func new(_ answer: BackfillAnswer, _ series: Int64, _ db: Database) throws -> [PastQuote] {
        let wanted = answer.quotes.filter { answer.holes.contains($0.quotedAt) && $0.quotedAt <= answer.fetchedAt }
            .sorted { $0.quotedAt < $1.quotedAt }
        guard let first = wanted.first, let last = wanted.last else { return [] }
        let find = try db.cachedStatement(
            sql: """
                SELECT poll.at, poll.fetched_at - sample.age
                FROM poll CROSS JOIN sample ON sample.id = (poll.id << 20) + ?1
                WHERE poll.at >= ?2 AND poll.at <= ?3
                ORDER BY poll.at, poll.id
                """)
        let rows = try Row.fetchAll(
            find,
            arguments: [
                series, first.quotedAt.milliseconds - OpenCandles.slack, last.quotedAt.milliseconds + Hour.day,
            ])
        let recorded: [(at: Int64, quotedAt: Int64)] = try rows.map {
            (try $0.time(0, "poll.at"), try $0.time(1, "sample.age"))
        }
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
