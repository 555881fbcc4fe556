import Foundation
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct RecallTests {
    private func record(
        _ second: Double, _ samples: [Sample], unknown: [(String, UnknownReason)] = [],
        outcome: PollOutcome = .ok, error: String? = nil, watched: [String]? = nil, in writer: HistoryWriter
    ) throws {
        try writer.commit(
            PollRecord(
                at: moment(second), fetchedAt: moment(second + 1), feed: "test", currency: usd(), outcome: outcome,
                error: error, samples: samples, unknown: unknown.map { (market($0.0), $0.1) },
                watched: watched.map { WatchedMarkets($0.map(market), currencies: .init(.usd)) }))
    }

    @Test("changes of the watchlist come with the cycle from which on they hold, earlier ones with the first")
    func unwatched() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(
            0, [sample("a", "1", quotedAt: 0), sample("b", "2", quotedAt: 0)], watched: ["a", "b"], in: writer)
        try record(60, [sample("a", "2", quotedAt: 60)], watched: ["a"], in: writer)
        try record(120, [sample("a", "3", quotedAt: 120)], in: writer)
        try record(180, [sample("b", "2", quotedAt: 170)], watched: ["a", "b"], in: writer)
        var changes: [[String]] = []
        try writer.reader.play([market("a"), market("b")], in: .init(usd()), since: moment(50), withBackfilled: true) {
            changes.append($0.watchChanges.map { "\($0.isWatched ? "+" : "-")\($0.market)" })
        }
        #expect(changes == [["+0", "+1", "-1"], [], ["+1"]])
    }

    @Test("polls come back oldest first, with what was new and what was unknown")
    func recall() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(0, [sample("a", "1", quotedAt: 0), sample("b", "2", quotedAt: 0)], in: writer)
        try record(60, [], unknown: [("a", .nullPrice), ("b", .oldQuote)], outcome: .partial, in: writer)
        try record(120, [], outcome: .failed, error: "timeout", in: writer)
        try record(180, [sample("a", "3", quotedAt: 170), sample("c", "4", quotedAt: 170)], in: writer)
        var polls: [RecordedPoll] = []
        try writer.reader.play([market("b"), market("a")], in: .init(usd()), since: moment(0), withBackfilled: true) {
            polls += $0.polls.filter(\.outcome.isUsable)
        }
        #expect(polls.map(\.fetchedAt) == [moment(1), moment(61), moment(181)])
        #expect(polls.map { $0.samples.map(\.market) } == [[1, 0], [], [1]])
        #expect(polls.map(\.unusable) == [[], [1], []])
        #expect(polls.last?.samples.first?.quotedAt == moment(170))
        var later = 0
        try writer.reader.play([market("a")], in: .init(usd()), since: moment(180), withBackfilled: true) { _ in
            later += 1
        }
        #expect(later == 1)
    }

    @Test("what waits to be confirmed is found behind the trusted price, with how many polls disagreed")
    func waiting() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        func doubtful(_ text: String, _ second: Double) -> Sample {
            var sample = sample("a", text, quotedAt: second)
            sample.confirmed = false
            return sample
        }
        func newest() throws -> [String] {
            let found = try #require(try writer.reader.newest(in: .init(usd()))[market("a")])
            guard case .waiting(let candidate, let polls) = found.confirmation else {
                return [found.newest.price.description]
            }
            return [found.newest.price.description, candidate.price.description, "\(polls)"]
        }
        try record(0, [sample("a", "1", quotedAt: 0), sample("b", "1", quotedAt: 0)], in: writer)
        try record(60, [doubtful("9", 60), sample("b", "2", quotedAt: 60)], in: writer)
        #expect(try newest() == ["1", "9", "1"])
        try record(120, [doubtful("90", 120)], unknown: [("a", .unconfirmed)], in: writer)
        #expect(try newest() == ["1", "90", "2"])
        for step in 3...20 {
            try record(Double(step) * 60, [sample("b", "\(step)", quotedAt: Double(step))], in: writer)
        }
        #expect(try newest() == ["1", "90", "2"], "however many polls of others there were since")
        try record(1320, [sample("a", "2", quotedAt: 1320)], in: writer)
        #expect(try newest() == ["2"])
    }

    @Test("each source has its own polls: the last ones, the missed answers, and a move that waits to be confirmed")
    func sources() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let stocks = SourceID.own("stocks")
        var waiting = sample("a", "200", quotedAt: 60)
        waiting.confirmed = false
        for (second, share) in [(0.0, sample("a", "100", quotedAt: 0)), (60, waiting)] {
            try writer.commit(
                PollRecord(
                    at: moment(second), fetchedAt: moment(second + 1), feed: "test", currency: usd(), outcome: .ok,
                    samples: [sample("b", "\(Int(second) + 1)", quotedAt: second)]),
                PollRecord(
                    at: moment(second), fetchedAt: moment(second + 2), feed: "stocks", source: stocks, currency: usd(),
                    outcome: .partial, samples: [share], unknown: [(market("c"), .notAnswered)]))
        }
        for second in 2...40 {
            try record(Double(second) * 60, [sample("b", "\(second)", quotedAt: Double(second) * 60)], in: writer)
        }
        let reader = writer.reader
        #expect(try reader.lastPoll(of: .shared) == moment(2400))
        #expect(try reader.lastPoll(of: stocks) == moment(60))
        #expect(try reader.lastPoll(of: .own("other"), usable: true) == nil)
        #expect(try reader.usablePolls(since: moment(0), of: stocks).map(\.at) == [moment(0), moment(60)])
        #expect(try reader.usablePolls(since: moment(0)).count == 41)
        #expect(try reader.usablePolls(since: moment(0), of: .own("test")).isEmpty)
        #expect(try reader.answers(in: .init(usd()), of: stocks).missed == [market("c"): 2])
        #expect(try reader.answers(in: .init(usd())).missed == [:])
        let newest = try reader.newest(in: .init(usd()))[market("a")]
        #expect(newest?.newest.price == price("100") && newest?.newest.feed == "stocks")
        #expect(newest?.confirmation.candidate?.price == price("200"))
        var sources: [SourceID] = []
        try reader.play(
            [market("a")], in: .init(usd()), since: moment(0), until: moment(100), withBackfilled: false
        ) { sources += $0.polls.map(\.source) }
        #expect(sources == [.shared, stocks, .shared, stocks])
    }

    @Test("answers without a usable price are counted from the newest back; failed polls are none")
    func missedAnswers() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(0, [], unknown: [("a", .notAnswered), ("b", .notAnswered)], in: writer)
        try record(60, [sample("b", "2", quotedAt: 60)], unknown: [("a", .nullPrice)], in: writer)
        try record(120, [], outcome: .failed, error: "timeout", in: writer)
        try record(
            180, [], unknown: [("a", .nullPrice), ("b", .nullPrice)], outcome: .failed, error: "empty", in: writer)
        #expect(try writer.reader.answers(in: .init(usd())).missed == [market("a"): 3, market("b"): 1])
    }

    @Test("a market that was not watched for a time is counted from its return")
    func missedSinceReturn() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        func record(_ second: Double, watching ids: String...) throws -> [MarketID: Int] {
            var poll = poll(second, sample("b", "\(Int(second) + 1)", quotedAt: second), outcome: .partial)
            poll.watched = WatchedMarkets(ids.map(market), currencies: .init(.usd))
            if ids.contains("a") { poll.unknown = [(market("a"), .notAnswered)] }
            try writer.commit(poll)
            return try writer.reader.answers(in: .init(usd())).missed
        }
        #expect(try record(0, watching: "a", "b") == [market("a"): 1])
        #expect(try record(60, watching: "a", "b") == [market("a"): 2])
        // A cycle without an answer in which it is not watched is enough.
        var idle = Commit()
        idle.idleCycle = (at: moment(120), watched: WatchedMarkets([market("b")], currencies: .init(.usd)))
        #expect(writer.commit(idle).fault == nil)
        #expect(try writer.reader.answers(in: .init(usd())).missed == [:])
        #expect(try record(180, watching: "a", "b") == [market("a"): 1])
        #expect(try record(240, watching: "b") == [:])
    }
}
