import Engine
import Foundation
import GRDB
import Markets

/// How much the history holds.
public struct HistorySize: Hashable, Sendable {
    /// Database and write-ahead log on disk.
    public var bytes: Int64
    public var samples: Int64
    /// The oldest poll, or the oldest moment that was healed; nil where there is none.
    public var oldestAt: Date?

    mutating func add(_ poll: PollRecord) {
        samples += Int64(poll.samples.count)
        oldestAt = min(oldestAt ?? poll.at, poll.at)
    }
}

extension HistoryReader {
    /// When the usable polls of a lane since `since` began, oldest first, and the time between two polls that led to
    /// each; zero: as configured.
    ///
    /// - Parameter riding: with those in which its feed was asked for it and for the shared lane at once.
    public func usablePolls(
        since: Date, of lane: Lane = .shared, riding: Bool = false
    ) throws(HistoryError) -> [(at: Date, interval: Duration)] {
        let (condition, arguments) = lane.polls(riding: riding)
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

    /// When the first poll began that is kept, however it ended.
    public func firstPoll() throws(HistoryError) -> Date? {
        try read { db in
            try db.value("poll.at", "SELECT at FROM poll WHERE NOT backfilled ORDER BY id LIMIT 1")
        }
    }

    /// When the newest poll began, however it ended.
    public func lastPoll() throws(HistoryError) -> Date? {
        try read { db in
            try db.value("poll.at", "SELECT at FROM poll WHERE NOT backfilled ORDER BY at DESC LIMIT 1")
        }
    }

    /// When the daemon was last seen at work: its newest poll, or the newest turn in which nobody was asked.
    public func lastTurn() throws(HistoryError) -> Date? {
        let poll = try lastPoll()
        let waiting: Date? = try read { db in
            try db.value("turn.at", "SELECT at FROM turn WHERE kind = 'waiting' ORDER BY id DESC LIMIT 1")
        }
        return [poll, waiting].compactMap { $0 }.max()
    }

    /// When the newest usable answer was complete, by a clock that no provider's contradicted.
    public func lastAnswer() throws(HistoryError) -> Date? {
        try read { db in
            try db.value(
                "poll.fetched_at",
                "SELECT fetched_at FROM poll WHERE NOT backfilled AND outcome <> 'failed' ORDER BY id DESC LIMIT 1")
        }
    }

    /// When the oldest poll began that is still there, or the oldest moment that was healed.
    public func oldestPoll() throws(HistoryError) -> Date? {
        try read { db in try db.value("poll.at", "SELECT min(at) FROM poll", as: Date?.self) ?? nil }
    }

    /// When the newest poll of a lane began, however it ended.
    public func lastPoll(of lane: Lane) throws(HistoryError) -> Date? {
        try lastPoll(of: lane, riding: false, usable: false)
    }

    /// When the newest usable poll of a lane began.
    ///
    /// - Parameter riding: as with `usablePolls`.
    public func lastUsablePoll(of lane: Lane = .shared, riding: Bool = false) throws(HistoryError) -> Date? {
        try lastPoll(of: lane, riding: riding, usable: true)
    }

    private func lastPoll(of lane: Lane, riding: Bool, usable: Bool) throws(HistoryError) -> Date? {
        let (condition, arguments) = lane.polls(riding: riding)
        let usable = usable ? "AND outcome <> 'failed'" : ""
        return try read { db in
            try db.value(
                "poll.at", "SELECT at FROM poll WHERE \(condition) \(usable) ORDER BY at DESC LIMIT 1", arguments)
        }
    }

    /// How much there is. Reads a row a poll, so ask once and add what is recorded from then on.
    public func size() throws(HistoryError) -> HistorySize { try read { try size($0) } }

    func size(_ db: Database) throws -> HistorySize {
        HistorySize(
            bytes: bytesOnDisk(),
            samples: try db.value("poll.samples", "SELECT ifnull(sum(samples), 0) FROM poll") ?? 0,
            oldestAt: try db.value("poll.at", "SELECT min(at) FROM poll", as: Date?.self) ?? nil)
    }

    /// What database and write-ahead log take on disk, without asking the database.
    public func bytesOnDisk() -> Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            sum + (FileHeader.size(of: path + suffix) ?? 0)
        }
    }
}
