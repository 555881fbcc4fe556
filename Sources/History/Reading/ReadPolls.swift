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

    /// The interval in force at the newest poll of a source; nil if it was never polled.
    package func lastInterval(of source: SourceID) throws(HistoryError) -> Duration? {
        let (polls, arguments) = source.polls
        let sql = "SELECT interval FROM poll WHERE \(polls) ORDER BY at DESC LIMIT 1"
        return try read { db in try db.all(sql, arguments) { row -> Duration in try row.value(0) }.first }
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

    /// Whether polls have been deleted, and only candles remember their hours. Ids begin with 1.
    package func wasPruned() throws(HistoryError) -> Bool { try value("SELECT min(id) > 1 FROM poll") ?? false }

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

extension HistoryReader {
    /// What a source's newest answers contained of each market.
    ///
    /// - Parameter count: Older answers are not looked at.
    /// - Returns: The number of the newest answers in a row that lacked the market, counted from when it was last added
    ///   to the watchlist; and when each watched market was last in an answer, with a new price or not.
    package func answers(
        in currencies: MarketCurrencies, of source: SourceID = .shared, last count: Int = 16
    ) throws(HistoryError) -> (missed: [MarketID: Int], heard: [MarketID: Date]) {
        let (polls, arguments) = source.polls
        let oldest = """
            SELECT at FROM poll WHERE (outcome <> 'failed' OR error = 'empty') AND \(polls)
            ORDER BY at DESC LIMIT 1 OFFSET ?
            """
        let since = try time(oldest, arguments + [count - 1]) ?? .distantPast
        let markets = try names(in: currencies, of: nil).map(\.market)
        var missed: [MarketID: Int] = [:]
        var heard: [MarketID: Date] = [:]
        var watched: Set<Int> = []
        try play(markets, in: currencies, since: since, withBackfilled: false, withSamples: false) { cycle in
            for change in cycle.watchChanges {
                if change.isWatched { watched.insert(change.market) } else { watched.remove(change.market) }
                missed[markets[change.market]] = nil
            }
            for poll in cycle.polls where poll.source == source {
                guard poll.outcome.isUsable || poll.error == "empty" else { continue }
                let lacking = poll.unknown.filter { ![.oldQuote, .unconfirmed, .notAsked].contains($0.reason) }
                    .map { markets[$0.market] }
                missed = Dictionary(uniqueKeysWithValues: lacking.map { ($0, missed[$0, default: 0] + 1) })
                guard poll.outcome.isUsable else { continue }
                for place in watched.subtracting(poll.unknown.map(\.market)) { heard[markets[place]] = poll.fetchedAt }
            }
        }
        return (missed, heard)
    }

    /// The newest quote of the last polls; nil if nothing is recorded.
    package func newestQuote() throws(HistoryError) -> Date? {
        try time(
            """
            SELECT max(poll.fetched_at - age)
            FROM (SELECT id, fetched_at FROM poll WHERE samples > 0 ORDER BY at DESC LIMIT 8) AS poll
            CROSS JOIN sample ON sample.id BETWEEN poll.id << 20 AND (poll.id << 20) + 1048575
            """)
    }
}

/// The size of the history.
extension HistoryReader {
    /// Reads one row for each poll: call it once and add later writes to the result.
    package func size() throws(HistoryError) -> StoredHistory { try read { try size($0) } }

    /// The beginning of the history: the oldest poll, or the hour of an older candle, whose samples are pruned; nil: it
    /// is empty.
    package func start() throws(HistoryError) -> Date? {
        try read { db in
            let poll: Date? = try db.value("SELECT min(at) FROM poll")
            guard let hour = try Hour.oldestCandle(db) else { return poll }
            if let poll, Hour.of(poll.milliseconds) <= hour { return poll }
            return Hour.start(hour)
        }
    }

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
