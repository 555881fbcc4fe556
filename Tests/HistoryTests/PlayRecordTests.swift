import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct PlayRecordTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private func record(
        _ second: Double, _ samples: Sample..., unknown: [(String, UnknownReason)] = [],
        outcome: PollOutcome = .ok, error: String? = nil, watched: [String]? = nil
    ) throws {
        let record = PollRecord(
            at: moment(second), fetchedAt: moment(second + 1), feed: "test", currency: usd(), outcome: outcome,
            error: error, samples: samples, unknown: unknown.map { (market($0.0), $0.1) },
            watched: watched.map { WatchedMarkets($0.map(market), currencies: .init(.usd)) })
        try writer.commit(record)
    }

    private func wait(_ second: Double, watched: [String] = []) throws {
        try writer.commit {
            $0.idleCycle = (at: moment(second), watched: WatchedMarkets(watched.map(market), currencies: .init(.usd)))
        }
    }

    /// A word a cycle: `poll 60 failed timeout ["a 1.5", "b null_price"] +a -b`.
    private func words(since: Double, withBackfilled: Bool = false) throws -> [String] {
        let names = try writer.reader.names(in: .init(usd()), of: nil).map(\.market)
        var words: [String] = []
        try writer.reader.play(names, in: .init(usd()), since: moment(since), withBackfilled: withBackfilled) { cycle in
            func second(_ date: Date) -> Int { Int(date.since(moment()).inSeconds) }
            func said(_ poll: RecordedPoll) -> [String] {
                poll.samples.map { "\(names[$0.market]) \($0.price)@\(second($0.quotedAt))" }
                    + poll.unknown.map { "\(names[$0.market]) \($0.reason.rawValue)" }
            }
            var word = cycle.polls.map { poll in
                "poll \(second(cycle.at)) \(poll.outcome.rawValue) \(poll.error ?? "-") \(said(poll))"
            }.joined(separator: " and ")
            if cycle.polls.isEmpty { word = "waiting \(second(cycle.at))" }
            if let first = cycle.polls.first, first.isBackfilled {
                word = "\(first.feed) healed \(cycle.polls.flatMap(said))"
            }
            for change in cycle.watchChanges { word += " \(change.isWatched ? "+" : "-")\(names[change.market])" }
            words.append(word)
        }
        return words
    }

    @Test("idle cycles and polls come in the order in which they happened, with all that was said")
    func turns() throws {
        var doubtful = sample("a", "9", quotedAt: 120)
        doubtful.confirmed = false
        try record(0, sample("a", "1", quotedAt: 0), watched: ["a", "b"])
        try record(60, unknown: [("a", .notAnswered), ("b", .nullPrice)], outcome: .failed, error: "empty")
        try wait(90, watched: ["a"])
        try record(120, doubtful, unknown: [("a", .unconfirmed)])
        try record(180, outcome: .unchanged, watched: ["a", "b"])
        #expect(
            try words(since: 0) == [
                #"poll 0 ok - ["a 1@0"] +a +b"#, #"poll 60 failed empty ["a not_answered", "b null_price"]"#,
                "waiting 90 -b", #"poll 120 ok - ["a 9@120", "a unconfirmed"]"#, "poll 180 unchanged - [] +b",
            ])
    }

    @Test("a replay that begins later knows what was watched before, and what happened since the last poll")
    func later() throws {
        try record(0, sample("a", "1", quotedAt: 0), sample("b", "2", quotedAt: 0), watched: ["a", "b"])
        try record(60, sample("a", "3", quotedAt: 60), watched: ["a"])
        try record(120, outcome: .failed, error: "timeout")
        try wait(150, watched: ["a"])
        try record(180, sample("a", "4", quotedAt: 180))
        #expect(
            try words(since: 130) == ["waiting 150 +a +b -b", #"poll 180 ok - ["a 4@180"]"#])
        #expect(try writer.reader.span(since: moment(130), withBackfilled: false) == moment(180)...moment(180))
        #expect(try writer.reader.span(since: moment(181), withBackfilled: false) == nil)
    }

    @Test("other currencies and backfilled prices have no part in it")
    func others() throws {
        try record(0, sample("a", "1", quotedAt: 0))
        try writer.backfill(backfillAnswer("a", -1200, 0, (-600, "5")))
        var foreign = poll(60, sample("a", "7", quotedAt: 60))
        foreign.currency = try Currency("eur")
        try writer.commit(foreign)
        #expect(
            try words(since: -1000) == [#"poll 0 ok - ["a 1@0"]"#, "poll 60 ok - []"])
    }

    @Test("backfilled prices come between the cycles where they are asked for, those of a moment together")
    func backfilled() throws {
        try record(0, sample("a", "1", quotedAt: 0), watched: ["a"])
        try record(3600, sample("a", "2", quotedAt: 3600))
        try writer.backfill(backfillAnswer("a", -1200, 3600, (-1100, "4"), (-600, "5"), (1200, "6"), (2400, "7")))
        try writer.backfill(backfillAnswer("b", 0, 3600, (1200, "8")))
        #expect(
            try words(since: -1000, withBackfilled: true) == [
                #"past healed ["a 5@-600"]"#, #"poll 0 ok - ["a 1@0"] +a"#,
                #"past healed ["a 6@1200", "b 8@1200"]"#, #"past healed ["a 7@2400"]"#,
                #"poll 3600 ok - ["a 2@3600"]"#,
            ])
        #expect(
            try writer.reader.span(since: moment(-1000), withBackfilled: true) == moment(-600)...moment(3600))
        #expect(try words(since: 3601, withBackfilled: true) == [])
    }

    @Test("without a poll since, backfilled prices are played alone")
    func healedAfterwards() throws {
        try record(0, sample("a", "1", quotedAt: 0), watched: ["a"])
        try writer.backfill(backfillAnswer("a", 0, 3600, (1200, "6")))
        #expect(try words(since: 60, withBackfilled: true) == [#"past healed ["a 6@1200"]"#])
    }

    @Test("idle cycles share the numbers of the polls, and are pruned with them")
    func numbers() async throws {
        try record(0, sample("a", "1", quotedAt: 0))
        try wait(60)
        try record(14_400, sample("a", "1", quotedAt: 14_400))
        try wait(14_460)
        func ids(_ table: String) throws -> [Int64] {
            try writer.queue.read { try Int64.fetchAll($0, sql: "SELECT id FROM \(table) ORDER BY id") }
        }
        #expect(try ids("turn") == [2, 4])
        #expect(try ids("poll") == [1, 3])
        #expect(try writer.reader.lastCycle() == moment(14_460))
        _ = try await writer.prune(to: Retention(samples: .hours(1)), now: moment(14_500))
        #expect(try ids("poll") == [3])
        #expect(try ids("turn") == [4])
    }
}
