import Engine
import Foundation
import GRDB
import Markets

extension HistoryReader {
    /// When the usable polls of a source since `since` began, oldest first, each with the interval that was in force;
    /// zero: as configured.
    package func usablePolls(
        since: Date, of source: SourceID = .shared
    ) throws(HistoryError) -> [(at: Date, interval: Duration)] {
        let (condition, arguments) = source.polls
        return try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT at, interval FROM poll WHERE \(condition) AND at >= ? AND outcome <> 'failed' ORDER BY at",
                arguments: arguments + [since.milliseconds])
            var polls: [(at: Date, interval: Duration)] = []
            while let row = try rows.next() {
                polls.append((try row.value(0, "poll.at"), try row.value(1, "poll.interval")))
            }
            return polls
        }
    }

    /// When the oldest live poll that was kept began, successful or not.
    package func firstPoll() throws(HistoryError) -> Date? {
        try read { db in
            try db.value("poll.at", "SELECT at FROM poll WHERE NOT backfilled ORDER BY id LIMIT 1")
        }
    }

    /// When the newest poll began, successful or not.
    package func lastPoll() throws(HistoryError) -> Date? {
        try read { db in
            try db.value("poll.at", "SELECT at FROM poll WHERE NOT backfilled ORDER BY at DESC LIMIT 1")
        }
    }

    /// When the daemon last completed a cycle: its newest poll, or the newest cycle in which no feed could be asked.
    package func lastCycle() throws(HistoryError) -> Date? {
        let poll = try lastPoll()
        let waiting: Date? = try read { db in
            try db.value("turn.at", "SELECT at FROM turn WHERE kind = 'waiting' ORDER BY id DESC LIMIT 1")
        }
        return [poll, waiting].compactMap { $0 }.max()
    }

    /// When the newest usable answer was complete, by a clock that agreed with the provider's.
    package func lastAnswer() throws(HistoryError) -> Date? {
        try read { db in
            try db.value(
                "poll.fetched_at",
                "SELECT fetched_at FROM poll WHERE NOT backfilled AND outcome <> 'failed' ORDER BY id DESC LIMIT 1")
        }
    }

    /// The start of the oldest poll, or the oldest backfilled moment.
    package func oldestPoll() throws(HistoryError) -> Date? {
        try read { db in try db.value("poll.at", "SELECT min(at) FROM poll", as: Date?.self) ?? nil }
    }

    /// When the newest poll of a source began, successful or not.
    package func lastPoll(of source: SourceID) throws(HistoryError) -> Date? {
        try lastPoll(of: source, usable: false)
    }

    /// When the newest usable poll of a source began.
    package func lastUsablePoll(of source: SourceID = .shared) throws(HistoryError) -> Date? {
        try lastPoll(of: source, usable: true)
    }

    private func lastPoll(of source: SourceID, usable: Bool) throws(HistoryError) -> Date? {
        let (condition, arguments) = source.polls
        let usable = usable ? "AND outcome <> 'failed'" : ""
        return try read { db in
            try db.value(
                "poll.at", "SELECT at FROM poll WHERE \(condition) \(usable) ORDER BY at DESC LIMIT 1", arguments)
        }
    }

    /// The size of the history. Reads one row for each poll: call it once and add later writes to the result.
    package func size() throws(HistoryError) -> StoredHistory { try read { try size($0) } }

    func size(_ db: Database) throws -> StoredHistory {
        StoredHistory(
            database: path, bytes: bytesOnDisk(),
            samples: try db.value("poll.samples", "SELECT ifnull(sum(samples), 0) FROM poll") ?? 0,
            oldestAt: try db.value("poll.at", "SELECT min(at) FROM poll", as: Date?.self) ?? nil)
    }

    /// The bytes of database and WAL on disk, read from the file system.
    package func bytesOnDisk() -> Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            sum + (FileHeader.size(of: path + suffix) ?? 0)
        }
    }
}

extension SourceID {
    /// The SQL condition, with its arguments, that selects this source's rows of `poll`.
    var polls: (condition: String, arguments: StatementArguments) {
        switch self {
        case .shared: ("NOT alone AND NOT backfilled", [])
        case .own(let feed):
            ("alone AND NOT backfilled AND feed = (SELECT id FROM feed WHERE name = ?)", [feed])
        }
    }
}
