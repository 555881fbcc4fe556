import Engine
import Foundation
import GRDB
import Markets

/// When polls began and were answered; nil if there was none.
extension HistoryReader {
    /// The oldest live poll that was kept, successful or not.
    package func firstPoll() throws(HistoryError) -> Date? {
        try time("SELECT at FROM poll WHERE NOT backfilled ORDER BY id LIMIT 1")
    }

    /// The newest poll, successful or not.
    package func lastPoll() throws(HistoryError) -> Date? {
        try time("SELECT at FROM poll WHERE NOT backfilled ORDER BY at DESC LIMIT 1")
    }

    /// The newest poll of a source.
    ///
    /// - Parameter usable: False: successful or not.
    package func lastPoll(of source: SourceID, usable: Bool = false) throws(HistoryError) -> Date? {
        let (polls, arguments) = source.polls
        let condition = usable ? "outcome <> 'failed'" : "true"
        return try time("SELECT at FROM poll WHERE \(polls) AND \(condition) ORDER BY at DESC LIMIT 1", arguments)
    }

    /// The daemon's last completed cycle: its newest poll, or the newest cycle in which no feed could be asked.
    package func lastCycle() throws(HistoryError) -> Date? {
        let waiting = try time("SELECT at FROM turn WHERE kind = 'waiting' ORDER BY id DESC LIMIT 1")
        return [try lastPoll(), waiting].compactMap { $0 }.max()
    }

    /// When the newest usable answer was complete, by a clock that agreed with the provider's.
    package func lastAnswer() throws(HistoryError) -> Date? {
        try time("SELECT fetched_at FROM poll WHERE NOT backfilled AND outcome <> 'failed' ORDER BY id DESC LIMIT 1")
    }

    /// The oldest poll, or the oldest backfilled moment.
    package func oldestPoll() throws(HistoryError) -> Date? { try time("SELECT min(at) FROM poll") }

    private func time(_ sql: String, _ arguments: StatementArguments = []) throws(HistoryError) -> Date? {
        try value(sql, arguments)
    }

    /// The usable polls of a source since `since`, oldest first, each with the interval that was in force; zero: as
    /// configured.
    package func usablePolls(
        since: Date, of source: SourceID = .shared
    ) throws(HistoryError) -> [(at: Date, interval: Duration)] {
        let (polls, arguments) = source.polls
        let sql = "SELECT at, interval FROM poll WHERE \(polls) AND at >= ? AND outcome <> 'failed' ORDER BY at"
        return try read { try $0.all(sql, arguments + [since.milliseconds]) { (try $0.value(0), try $0.value(1)) } }
    }
}

/// What a source's newest answers contained of each market.
package struct SourceAnswers: Hashable, Sendable {
    /// The number of the newest answers in a row that lacked the market, counted from when it was last added to the
    /// watchlist.
    package var missed: [MarketID: Int] = [:]
    /// When each watched market was last in an answer, with a new price or not.
    package var heard: [MarketID: Date] = [:]
}

extension HistoryReader {
    /// - Parameter answers: Older answers are not looked at.
    package func answers(
        in currency: Currency, of source: SourceID = .shared, last answers: Int = 16
    ) throws(HistoryError) -> SourceAnswers {
        let (polls, arguments) = source.polls
        return try read { db in
            var watch: [Int64: (since: Int64, isWatched: Bool)] = [:]
            try db.rows("SELECT series, max(poll), watched FROM watch GROUP BY series") { row in
                watch[try row.value(0)] = (try row.value(1), try row.value(2))
            }
            let newest: [(id: Int64, fetchedAt: Date, isUsable: Bool)] = try db.all(
                """
                SELECT id, fetched_at, outcome <> 'failed' FROM poll
                WHERE (outcome <> 'failed' OR error = 'empty') AND \(polls) ORDER BY at DESC, id DESC LIMIT ?
                """, arguments + [answers]
            ) { (try $0.value(0), try $0.value(1), try $0.value(2)) }
            let markets = try Series.markets(db, in: currency)
            var found = SourceAnswers()
            for (index, answer) in newest.enumerated() {
                var unknown: [Int64: UnknownReason] = [:]
                try db.rows("SELECT series, reason FROM unknown WHERE poll = ?", [answer.id]) { row in
                    unknown[try row.value(0)] = try row.value(1)
                }
                for (series, market) in markets {
                    let state = watch[series]
                    guard state.map({ $0.isWatched && $0.since <= answer.id }) ?? true else { continue }
                    if let reason = unknown[series] {
                        let isMissed = ![.oldQuote, .unconfirmed, .notAsked].contains(reason)
                        if isMissed, found.missed[market, default: 0] == index { found.missed[market] = index + 1 }
                    } else if answer.isUsable, state != nil, found.heard[market] == nil {
                        found.heard[market] = answer.fetchedAt
                    }
                }
            }
            return found
        }
    }
}

/// The size of the history.
extension HistoryReader {
    /// Reads one row for each poll: call it once and add later writes to the result.
    package func size() throws(HistoryError) -> StoredHistory { try read { try size($0) } }

    func size(_ db: Database) throws -> StoredHistory {
        StoredHistory(
            database: path, bytes: bytesOnDisk(),
            samples: try db.value("SELECT sum(samples) FROM poll") ?? 0,
            oldestAt: try db.value("SELECT min(at) FROM poll"))
    }

    /// The bytes of database and WAL on disk, read from the file system.
    package func bytesOnDisk() -> Int64 {
        ["", "-wal"].reduce(0) { $0 + (FileHeader.size(of: path + $1) ?? 0) }
    }
}

extension SourceID {
    /// The SQL condition, with its arguments, that selects this source's rows of `poll`.
    fileprivate var polls: (condition: String, arguments: StatementArguments) {
        switch self {
        case .shared: ("NOT alone AND NOT backfilled", [])
        case .own(let feed):
            ("alone AND NOT backfilled AND feed = (SELECT id FROM feed WHERE name = ?)", [feed])
        }
    }
}
