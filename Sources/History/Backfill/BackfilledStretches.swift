import Foundation
import GRDB
import Markets

/// The time ranges of a series for which a provider answered a backfill request, also where the answer was empty.
enum BackfilledStretches {
    static func of(_ series: Int64, _ db: Database) throws -> [Range<Date>] {
        let find = try db.cachedStatement(sql: "SELECT since, until FROM healed WHERE series = ? ORDER BY since")
        return try Row.fetchAll(find, arguments: [series]).map { row in
            let (since, until): (Date, Date) = (try row.value(0, "healed.since"), try row.value(1, "healed.until"))
            guard since <= until else {
                throw UndecodableValue(place: "healed.until", found: until.milliseconds.databaseValue)
            }
            return since..<until
        }
    }

    /// Merges adjacent ranges, so that their number stays small.
    static func add(_ stretches: [Range<Date>], of series: Int64, _ db: Database) throws {
        let touching = try db.cachedStatement(
            sql: """
                SELECT ifnull(min(since), ?2), ifnull(max(until), ?3) FROM healed
                WHERE series = ?1 AND since <= ?3 AND until >= ?2
                """)
        for stretch in stretches {
            var (since, until) = (stretch.lowerBound.milliseconds, stretch.upperBound.milliseconds)
            if let row = try Row.fetchOne(touching, arguments: [series, since, until]) {
                since = min(since, try row.time(0, "healed.since"))
                until = max(until, try row.time(1, "healed.until"))
            }
            try db.execute(
                sql: "DELETE FROM healed WHERE series = ? AND since >= ? AND until <= ?",
                arguments: [series, since, until])
            try db.execute(
                sql: "INSERT INTO healed (series, since, until) VALUES (?, ?, ?)", arguments: [series, since, until])
        }
    }
}

extension HistoryReader {
    /// Increases with every backfill that any process writes.
    package func backfillCount() throws(HistoryError) -> Int64 {
        try read { db in
            let find = try db.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'healed'")
            return try find.value("sqlite_sequence.seq") ?? 0
        }
    }

    /// The ranges of this market that were requested and answered.
    package func backfilled(_ market: MarketID, in currency: Currency) throws(HistoryError) -> [Range<Date>] {
        try read { db in
            guard let series = try SeriesIDs.markets(db, in: currency, only: [market]).keys.first else { return [] }
            return try BackfilledStretches.of(series, db)
        }
    }
}
