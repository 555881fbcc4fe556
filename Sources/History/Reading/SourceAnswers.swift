import Engine
import Foundation
import GRDB
import Markets

/// What a source's newest answers contained of each market.
extension HistoryReader {
    /// For each market, the number of a source's newest answers in a row that lacked it, counted from when it was last
    /// added to the watchlist; at most `answers`.
    package func missedAnswers(
        in currency: Currency, of source: SourceID = .shared, last answers: Int = 16
    ) throws(HistoryError) -> [MarketID: Int] {
        try read { db in
            let (condition, arguments) = source.polls
            let polls: [Int64] = try db.values(
                "poll.id",
                """
                SELECT id FROM poll WHERE (outcome <> 'failed' OR error = 'empty') AND \(condition)
                ORDER BY at DESC, id DESC LIMIT ?
                """, arguments + [answers])
            var missed: [MarketID: Int] = [:]
            for (index, poll) in polls.enumerated() {
                let markets: [ListedMarket] = try db.values(
                    "series.market",
                    """
                    SELECT market FROM unknown JOIN series ON series.id = series
                    LEFT JOIN (SELECT series AS changed, watched, max(poll) AS since FROM watch GROUP BY series)
                        ON changed = series.id
                    WHERE poll = ?1 AND currency = ?2 AND reason NOT IN ('old_quote', 'unconfirmed', 'not_asked')
                        AND (changed IS NULL OR watched AND since <= ?1)
                    """, [poll, currency.code])
                for market in markets.compactMap(\.id) where missed[market, default: 0] == index {
                    missed[market] = index + 1
                }
                if markets.isEmpty { break }
            }
            return missed
        }
    }

    /// When each watched market was last in a source's answers, with a new price or not; looks at the last `answers`
    /// only.
    package func lastHeard(
        in currency: Currency, of source: SourceID, last answers: Int = 16
    ) throws(HistoryError) -> [MarketID: Date] {
        try read { db in
            let (condition, arguments) = source.polls
            let polls = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, fetched_at FROM poll WHERE outcome <> 'failed' AND \(condition)
                    ORDER BY at DESC, id DESC LIMIT ?
                    """, arguments: arguments + [answers])
            let series = try SeriesIDs.markets(db, in: currency, only: nil)
            var silent: [Int64: Int64] = [:]
            let watched = try Row.fetchCursor(
                db,
                sql: """
                    SELECT series, poll FROM
                        (SELECT series, watched, max(poll) AS poll FROM watch GROUP BY series) WHERE watched
                    """)
            while let row = try watched.next() {
                silent[try row.value(0, "watch.series")] = try row.value(1, "watch.poll", as: Int64.self)
            }
            var heard: [MarketID: Date] = [:]
            for poll in polls where !silent.isEmpty {
                let id: Int64 = try poll.value(0, "poll.id")
                let fetchedAt: Date = try poll.value(1, "poll.fetched_at")
                let unknown: [Int64] = try db.values(
                    "unknown.series", "SELECT series FROM unknown WHERE poll = ?", [id])
                let missing = Set(unknown)
                for (place, since) in silent where since <= id && !missing.contains(place) {
                    silent[place] = nil
                    if let market = series[place] { heard[market] = fetchedAt }
                }
            }
            return heard
        }
    }
}
