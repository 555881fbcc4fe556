import Engine
import Foundation
import Markets
import Testing

@testable import History

@Suite struct HolesInHistoryTests {
    private func holes(
        _ writer: HistoryWriter, _ id: String = "a", _ from: Double = 0, until: Double = 3600
    ) throws -> [String] {
        let found = try writer.reader.holes(
            of: [MarketRhythm(market(id), longestStep: .minutes(2))], in: .init(usd()), moment(from)..<moment(until))
        return try #require(found[market(id)]).stretches.map {
            "\(Int($0.lowerBound.since(moment()).inSeconds))-\(Int($0.upperBound.since(moment()).inSeconds))"
        }
    }

    private func record(
        _ writer: HistoryWriter, _ seconds: some Sequence<Double>, outcome: PollOutcome = .unchanged,
        unknown: [(String, UnknownReason)] = []
    ) throws {
        for second in seconds {
            var record = poll(second, outcome: outcome)
            record.watched = WatchedMarkets([market("a"), market("b")], currencies: .init(.usd))
            record.unknown = unknown.map { (market($0.0), $0.1) }
            try writer.commit(record)
        }
    }

    @Test("unchanged polls leave no hole, failed ones and pauses do")
    func polls() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, stride(from: 0, through: 600, by: 60))
        try record(writer, stride(from: 660, through: 900, by: 60), outcome: .failed)
        try record(writer, stride(from: 960, through: 1200, by: 60))
        try record(writer, stride(from: 3000, through: 3600, by: 60))
        #expect(try holes(writer) == ["600-960", "1200-3000"])
        #expect(try holes(writer, "never-seen") == ["0-3600"])
    }

    @Test("polls that a quota kept apart leave no hole")
    func paces() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for second in stride(from: 0.0, through: 2400, by: 600) {
            var record = poll(second, outcome: .unchanged)
            record.interval = second == 1200 ? .minutes(1) : .minutes(10)
            record.watched = WatchedMarkets([market("a")], currencies: .init(.usd))
            try writer.commit(record)
        }
        #expect(try holes(writer) == ["600-1200"])
        #expect(try holes(writer, until: 7200) == ["600-1200", "2400-7200"])
    }

    @Test("a market that an answer lacked has a hole of its own; an old or doubtful quote is none")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, stride(from: 0, through: 600, by: 60))
        try record(writer, stride(from: 660, through: 1200, by: 60), unknown: [("a", .nullPrice), ("b", .oldQuote)])
        try record(writer, stride(from: 1260, through: 3600, by: 60), unknown: [("b", .unconfirmed)])
        #expect(try holes(writer) == ["600-1260"])
        #expect(try holes(writer, "b") == [])
    }

    @Test("before a market was watched, and after, it was not known")
    func watchlist() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        for second in stride(from: 0.0, through: 3600, by: 60) {
            var record = poll(second, outcome: .unchanged)
            record.watched = WatchedMarkets(
                (1200...2400).contains(second) ? [market("a"), market("c")] : [market("a")], currencies: .init(.usd))
            try writer.commit(record)
        }
        #expect(try holes(writer, "c") == ["0-1200", "2400-3600"])
        #expect(try holes(writer) == [])
    }

    @Test("what was asked and answered is no hole any more, whatever came of it")
    func asked() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [0, 3600])
        #expect(try holes(writer) == ["0-3600"])
        try writer.backfill(backfillAnswer("a", 600, 1200))
        try writer.backfill(backfillAnswer("a", 1200, 1800, (1500, "3")))
        #expect(try holes(writer) == ["0-600", "1800-3600"])
        #expect(try writer.reader.backfilled(market("a"), in: usd()) == [moment(600)..<moment(1800)])
        try writer.backfill(backfillAnswer("a", 0, 3600))
        #expect(try writer.reader.backfilled(market("a"), in: usd()) == [moment(0)..<moment(3600)])
        #expect(try writer.reader.backfillCount() == 3)
        #expect(try holes(writer) == [])
    }

    @Test("healed prices are recalled in their place, as what they are, and stand for no answer of the daemon's")
    func recalled() throws {
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        try record(writer, [0], unknown: [("b", .nullPrice)])
        try record(writer, [3600], unknown: [("b", .nullPrice)])
        try writer.backfill(backfillAnswer("a", 0, 3600, (1200, "3"), (600, "2")))
        var polls: [String] = []
        try writer.reader.play(
            [market("a"), market("b")], in: .init(usd()), since: moment(-60), withBackfilled: true
        ) { cycle in
            for poll in cycle.polls {
                let second = Int(cycle.at.since(moment()).inSeconds)
                polls.append("\(second) \(poll.isBackfilled) \(poll.samples.map { "\($0.price)" }) \(poll.unusable)")
            }
        }
        #expect(polls == ["0 false [] [1]", "600 true [\"2\"] []", "1200 true [\"3\"] []", "3600 false [] [1]"])
        #expect(try writer.reader.answers(in: .init(usd())).missed == [market("b"): 2])
        #expect(try writer.reader.firstPoll() == moment(0))
        let backfilled = try writer.reader.backfilledPrices(in: .init(usd()), since: moment(0), until: moment(3600))
        #expect(backfilled[market("a")]?.map(\.price) == [price("2"), price("3")])
    }
}
