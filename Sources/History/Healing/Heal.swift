import Foundation
import GRDB
import Markets

/// Puts healed prices between the recorded ones. Each has a poll row of its own, marked `backfilled`, at the moment
/// that it speaks of: so whoever reads polls in the order of their time reads prices in the order of theirs.
enum Heal {
    static func insert(
        _ healing: Healing, _ series: inout SeriesIDs, _ candles: inout OpenCandles, _ db: Database
    ) throws -> Int {
        guard let id = try series.id(of: healing.market, db) else { return 0 }
        try HealedStretches.add(healing.holes.stretches, of: id, db)
        let quotes = try new(healing, id, db)
        guard !quotes.isEmpty else { return 0 }
        let feed = try FeedIDs.id(of: healing.feed, db)
        let poll = try db.cachedStatement(
            sql: """
                INSERT INTO poll (id, at, fetched_at, feed, outcome, samples, backfilled)
                VALUES (?, ?, ?, ?, 'ok', 1, 1)
                """)
        let sample = try IntegerInsert(
            db, "INSERT INTO sample (id, significand, exponent, age, confirmed) VALUES (?, ?, ?, ?, ?)")
        let fetchedAt = healing.fetchedAt.milliseconds
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

    /// What is not recorded yet, oldest first. Where a recorded answer spoke of a price as old as this one or older,
    /// there was nothing newer at that moment: the provider itself said so.
    private static func new(_ healing: Healing, _ series: Int64, _ db: Database) throws -> [PastQuote] {
        let wanted = healing.quotes.filter { healing.holes.contains($0.quotedAt) && $0.quotedAt <= healing.fetchedAt }
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
