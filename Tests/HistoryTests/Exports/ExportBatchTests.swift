import Foundation
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct ExportBatchTests {
    private static let export = ExportSettings(name: "cluster", address: "a")
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private func batch(
        after poll: Int64, acknowledged: Int64? = nil, rewinds: Bool = false, now: Double = 1e6, atMost lines: Int = 100
    ) throws -> ExportBatch {
        try writer.reader.exportBatch(
            ExportRequest(export: Self.export, after: poll, rewinds: rewinds, acknowledged: acknowledged),
            at: moment(now), atMost: lines)
    }

    /// `a 1 at 0`
    private func words(_ batch: ExportBatch) -> [String] {
        batch.samples.map {
            "\($0.market) \($0.price) \($0.currency) at \(Int($0.quotedAt.since(moment()).inSeconds))"
        }
    }

    @Test("the confirmed samples behind a poll, oldest first, with what is behind them")
    func batches() throws {
        for second in stride(from: 0.0, to: 300, by: 60) {
            var unconfirmed = sample("c", "9", quotedAt: second)
            unconfirmed.confirmed = false
            try writer.commit(
                poll(
                    second, sample("b", "2.50", quotedAt: second), sample("a", "\(second + 1)", quotedAt: second),
                    unconfirmed))
        }
        let first = try batch(after: 0, atMost: 7)
        #expect(words(first) == ["b 2.5 usd at 0", "a 1 usd at 0", "b 2.5 usd at 60", "a 61 usd at 60"])
        #expect((first.upTo, first.taken, first.repeated) == (2, 6, 0))
        #expect(first.next == moment(121))
        let rest = try batch(after: first.upTo, acknowledged: 3)
        #expect((rest.samples.count, rest.upTo, rest.taken, rest.repeated) == (6, 5, 6, 2))
        #expect(rest.next == nil)
        let none = try batch(after: 5)
        #expect(none.isEmpty)
        #expect(none.upTo == 5)
    }

    @Test("a poll is read whole, however large")
    func largePoll() throws {
        var large = poll(0)
        large.samples = (0..<300).map { sample("m\($0)", "\($0 + 1)", quotedAt: 0) }
        try writer.commit(large)
        try writer.commit(poll(60, sample("m1", "2", quotedAt: 60)))
        let first = try batch(after: 0)
        #expect(first.samples.count == 300)
        #expect(first.upTo == 1)
        #expect(try batch(after: 1).samples.count == 1)
    }

    @Test("polls without samples take part of the bound")
    func emptyPolls() throws {
        for second in 0..<30 { try writer.commit(poll(Double(second), outcome: .unchanged)) }
        let first = try batch(after: 0, atMost: 10)
        #expect(first.upTo == 10)
        #expect(first.isEmpty)
        #expect(first.next == moment(11))
    }

    @Test("a sample that is confirmed later is sent with the poll that confirms it")
    func confirmedLater() throws {
        var large = sample("a", "200", quotedAt: 60)
        large.confirmed = false
        try writer.commit(poll(0, sample("a", "100", quotedAt: 0)))
        try writer.commit(poll(60, large))
        #expect(words(try batch(after: 1)) == [])
        var confirming = poll(120, sample("a", "201", quotedAt: 120))
        confirming.moves = [
            LargeMove(
                market: market("a"), stage: .confirmed,
                price: MarketBoard.PriceSample(
                    price: price("200"), quotedAt: moment(60), fetchedAt: moment(61), feed: "test"),
                trusted: price("100"))
        ]
        try writer.commit(confirming)
        let sent = try batch(after: 2)
        #expect(words(sent) == ["a 201 usd at 120", "a 200 usd at 60"])
        #expect((sent.repeated, sent.taken) == (0, 1))
        #expect(try batch(after: 3).isEmpty)
    }

    @Test("backfilled prices are sent at their time, also those that a command wrote")
    func backfilled() throws {
        try writer.commit(poll(0, sample("a", "1", quotedAt: 0)))
        try writer.commit(poll(3600, sample("a", "2", quotedAt: 3600)))
        try writer.backfill(backfillAnswer("a", 0, 3600, (600, "1.5")))
        try CommandDatabase(at: folder.database).backfill(backfillAnswer("a", 0, 3600, (1200, "1.6")))
        #expect(words(try batch(after: 2)) == ["a 1.5 usd at 600", "a 1.6 usd at 1200"])
    }

    @Test("a quote from more than a minute ahead is not sent")
    func future() throws {
        try writer.commit(poll(0, sample("a", "1", quotedAt: 59), sample("b", "1", quotedAt: 62)))
        #expect(words(try batch(after: 0, now: 1)) == ["a 1 usd at 59"])
    }

    @Test("a rewound request begins two minutes before, at a live poll")
    func rewound() throws {
        for second in stride(from: 0.0, through: 600, by: 30) {
            try writer.commit(poll(second, sample("a", "\(second + 1)", quotedAt: second)))
        }
        let sent = try batch(after: 21, rewinds: true)
        #expect(words(sent).first == "a 481 usd at 480")
        #expect((sent.repeated, sent.taken, sent.upTo) == (5, 0, 21))
        // Backfilled rows are newer than the polls before them.
        try writer.backfill(backfillAnswer("a", 0, 600, (15, "9")))
        #expect(try batch(after: 22, rewinds: true).samples.count == 6)
        #expect(try batch(after: 0, rewinds: true).samples.count == 22)
    }

    @Test("an alert is 1 at each poll while it fires, and once 0")
    func alerts() throws {
        let key = AlertKey(rule: event("e").rule, market: market("bitcoin"))
        func alert(_ isFiring: Bool) -> Alert {
            Alert(
                state: isFiring ? .firing(.init(since: moment(61), lastNotified: moment(61))) : .inactive,
                condition: "above 10")
        }
        try writer.commit(poll(0))
        try writer.commit(poll(60)) {
            $0.alerts = [key: alert(true)]
            $0.events = [event("e1", .firing, at: 61)]
        }
        try writer.commit(poll(120)) { $0.events = [event("e2", .reminder, at: 121)] }
        func states(after poll: Int64, atMost lines: Int = 100) throws -> [String] {
            try batch(after: poll, atMost: lines).alerts.map {
                "\($0.severity.rawValue) \($0.isFiring) at \(Int($0.at.since(moment()).inSeconds))"
            }
        }
        #expect(try states(after: 0) == ["critical true at 61", "critical true at 121"])
        try writer.commit(poll(180)) {
            $0.alerts = [key: alert(false)]
            $0.events = [event("e3", .resolved, at: 181)]
        }
        try writer.commit(poll(240))
        let all = ["critical true at 61", "critical true at 121", "critical false at 181"]
        #expect(try states(after: 0) == all)
        #expect(try states(after: 1, atMost: 1) == [all[0]], "each batch begins with the states before it")
        #expect(try states(after: 2) == [all[1], all[2]])
        #expect(try states(after: 3) == [all[2]])
        #expect(try states(after: 4) == [])
    }
}
