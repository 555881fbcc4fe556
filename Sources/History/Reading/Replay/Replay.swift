import Engine
import Foundation
import GRDB
import Markets

/// The recorded turns of a daemon from a moment on, in the order in which they happened, and what was known before.
public struct Replay: Sendable {
    /// Every market that it is about and that was recorded in the currency. The turns name them by their place here.
    public let markets: [HistoryReader.Name]
    /// The places of those that were watched at the beginning.
    public let watched: [Int]
    /// The newest trusted prices before the beginning, by place.
    public let newest: [Int: MarketBoard.Sighting]
    /// When the last usable poll before the beginning began.
    public let lastUsablePoll: Date?
    /// When the daemon was last seen at work before the beginning.
    public let lastTurn: Date?
    /// When the first and the last poll of the replay began, or prices were healed; nil where there is none.
    public let span: ClosedRange<Date>?
    /// The places of those of which prices were healed; nil where these are left out.
    public let healed: Set<Int>?
    /// From when on healed prices belong to it, in milliseconds.
    let since: Int64
    /// The id of the first turn that may belong to it.
    let from: Int64
    let series: ReplaySeries

    init(
        _ series: ReplaySeries, since: Int64, from: Int64 = .max, watched: [Int] = [],
        newest: [Int: MarketBoard.Sighting] = [:], lastUsablePoll: Date? = nil, lastTurn: Date? = nil,
        span: ClosedRange<Date>? = nil, healed: Set<Int>? = nil
    ) {
        self.since = since
        self.healed = healed
        self.series = series
        self.from = from
        self.watched = watched
        self.newest = newest
        self.lastUsablePoll = lastUsablePoll
        self.lastTurn = lastTurn
        self.span = span
        markets = series.names
    }
}

extension HistoryReader {
    /// - Parameters:
    ///   - since: the first poll's earliest beginning.
    ///   - wanted: Of these markets alone; nil: of all.
    ///   - withHealed: Prices that were healed have turns of their own.
    public func replay(
        in currency: Currency, since: Date, of wanted: Set<MarketID>? = nil, withHealed: Bool = false
    ) throws(HistoryError) -> Replay {
        try read { db in
            let series = try ReplaySeries(db, in: currency, only: wanted)
            let since = since.milliseconds
            let healed = withHealed ? try HealedTurns.markets(series, since: since, db) : nil
            let ends = try Row.fetchOne(
                db,
                sql: "SELECT min(at), max(at) FROM poll WHERE at >= ? AND (NOT backfilled OR ?)",
                arguments: [since, healed?.isEmpty == false])
            guard let ends, let begin: Date = try ends.value(0, "poll.at", as: Date?.self),
                let end: Date = try ends.value(1, "poll.at", as: Date?.self)
            else { return Replay(series, since: since, healed: healed) }
            let oldest = "SELECT min(id) FROM poll WHERE at >= ? AND NOT backfilled"
            let first = (try db.value("poll.id", oldest, [since], as: Int64?.self) ?? nil) ?? .max
            let before = try Row.fetchOne(
                db, sql: "SELECT id, at FROM poll WHERE id < ? AND NOT backfilled ORDER BY id DESC LIMIT 1",
                arguments: [first])
            let usable: Date? = try db.value(
                "poll.at",
                "SELECT at FROM poll WHERE id < ? AND NOT backfilled AND outcome <> 'failed' ORDER BY id DESC LIMIT 1",
                [first])
            // What happened since the poll before, such as the start of the daemon, belongs to the replay.
            let from = try before.map { try $0.value(0, "poll.id", as: Int64.self) + 1 } ?? 0
            return Replay(
                series, since: since, from: from, watched: try series.watched(before: from, db),
                newest: try NewestBefore.of(series, poll: first, at: begin.milliseconds, db),
                lastUsablePoll: usable, lastTurn: try before?.value(1, "poll.at"), span: begin...end, healed: healed)
        }
    }

    /// Hands out the turns, one at a time: what is in memory does not grow with their number.
    public func play(_ replay: Replay, _ body: (RecordedTurn) throws -> Void) throws(HistoryError) {
        try read { db in
            var changes = try WatchChanges(replay, db)
            var newHealings = NewHealings()
            let reading = try PollReading(replay.series, db)
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT poll.id, at, fetched_at, outcome, error, name, alone, interval, 1
                    FROM poll LEFT JOIN feed ON feed.id = feed
                    WHERE poll.id >= ?1 AND NOT backfilled
                    UNION ALL
                    SELECT id, at, NULL, kind, NULL, NULL, NULL, NULL, 0 FROM turn WHERE id >= ?1
                    ORDER BY 1
                    """, arguments: [replay.from])
            var healed = try replay.healed.map { _ in try HealedTurns(replay, db) }
            // The polls of one turn began at the same moment.
            var polls: [RecordedPoll] = []
            var number: Int64 = 0
            var watchedFrom: [Int]?
            func finishTurn() throws {
                guard !polls.isEmpty else { return }
                try body(RecordedTurn(kind: .polls(polls), number: number, watched: watchedFrom))
                (polls, watchedFrom) = ([], nil)
            }
            while let row = try rows.next() {
                let id: Int64 = try row.value(0, "poll.id")
                let at: Date = try row.value(1, "poll.at")
                let isPoll: Bool = try row.value(8, "turn")
                if !isPoll || polls.first?.at != at {
                    try finishTurn()
                    try healed?.play(before: at, body)
                }
                let watched = changes.upTo(id)
                guard isPoll else {
                    let kind: TurnRows.Kind = try row.value(3, "turn.kind")
                    var turn = RecordedTurn(kind: kind.asPlayed(at), number: id, watched: watched)
                    if kind != .waiting { turn.bringsHealed = try newHealings.arrived(before: id, db) }
                    try body(turn)
                    continue
                }
                let feed = try row.value(5, "feed.name", as: String?.self) ?? ""
                let fetchedAt = try row.time(2, "poll.fetched_at")
                let poll = RecordedPoll(
                    at: at, fetchedAt: Date(milliseconds: fetchedAt), feed: feed,
                    lane: try row.value(6, "poll.alone") ? .own(feed) : .shared,
                    interval: try row.value(7, "poll.interval"), outcome: try row.value(3, "poll.outcome"),
                    error: try row.value(4, "poll.error"),
                    samples: try reading.samples(of: id, fetchedAt: fetchedAt), unknown: try reading.unknown(of: id))
                if polls.isEmpty { number = id }
                polls.append(poll)
                watchedFrom = watched ?? watchedFrom
            }
            try finishTurn()
            try healed?.play(before: .distantFuture, body)
        }
    }
}

extension TurnRows.Kind {
    fileprivate func asPlayed(_ moment: Date) -> RecordedTurn.Kind {
        switch self {
        case .start: .start(moment)
        case .recalled: .recalled(moment)
        case .waiting: .waiting(moment)
        }
    }
}
