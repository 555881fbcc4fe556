import Foundation
import Markets
import Testing

@testable import Engine
@testable import History

@Suite struct PolledMarketTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
    }

    private func record(
        _ second: Double, _ samples: [Sample] = [], unknown: [(String, UnknownReason)] = [],
        outcome: PollOutcome = .ok
    ) throws {
        try writer.commit(
            PollRecord(
                at: moment(second), fetchedAt: moment(second + 1), feed: "test", currency: usd(), outcome: outcome,
                samples: samples, unknown: unknown.map { (market($0.0), $0.1) }))
    }

    @Test("each poll tells what it brought of a market: a price, nothing new, or nothing")
    func findings() throws {
        var untrusted = sample("a", "900", quotedAt: 200)
        untrusted.confirmed = false
        try record(0, [sample("a", "1", quotedAt: -5), sample("b", "7", quotedAt: 0)])
        try record(60)
        try record(120, unknown: [("a", .nullPrice)], outcome: .partial)
        try record(180, outcome: .failed)
        try record(240, [untrusted], unknown: [("a", .unconfirmed)])
        try record(300, [sample("a", "2", quotedAt: 299)])
        var polls: [PolledMarket] = []
        try writer.reader.polls(of: market("a"), in: usd(), since: moment(-10), until: moment(1000)) {
            polls.append($0)
        }
        #expect(
            polls.map(\.finding) == [
                .quoted(at: moment(-5), price("1")), .unchanged, .nothing, .nothing, .unchanged,
                .quoted(at: moment(299), price("2")),
            ])
        #expect(polls.map(\.polledAt) == [0, 60, 120, 180, 240, 300].map { moment($0 + 1) })
        var few: [PolledMarket] = []
        try writer.reader.polls(of: market("a"), in: usd(), since: moment(0), until: moment(200)) { few.append($0) }
        #expect(few.map(\.finding) == [.unchanged, .nothing, .nothing])
        try writer.reader.polls(of: market("no"), in: usd(), since: moment(0), until: moment(200)) { _ in
            Issue.record("nothing was recorded of this one")
        }
    }

    @Test("a poll that did not ask for a market says nothing of it")
    func sources() throws {
        let stocks = SourceID.own("stocks")
        try record(0, [sample("b", "7", quotedAt: 0)])
        for (second, outcome) in [(0.0, PollOutcome.ok), (900, .failed)] {
            try writer.commit(
                PollRecord(
                    at: moment(second), fetchedAt: moment(second + 1), feed: "stocks", source: stocks, currency: usd(),
                    outcome: outcome, samples: second == 0 ? [sample("a", "1", quotedAt: 0)] : []))
        }
        try record(960)
        func findings(_ id: String, _ source: SourceID) throws -> [PolledMarket.Finding] {
            var polls: [PolledMarket] = []
            try writer.reader.polls(of: market(id), in: usd(), since: moment(0), until: moment(2000), source: source) {
                polls.append($0)
            }
            return polls.map(\.finding)
        }
        #expect(try findings("a", stocks) == [.quoted(at: moment(0), price("1")), .nothing])
        #expect(try findings("b", .shared) == [.quoted(at: moment(0), price("7")), .unchanged])
        var glanced: [String] = []
        try writer.reader.glance(in: .init(usd()), polledSince: moment(0), polls: 1) { id, _, _ in
            glanced.append(id.text)
        }
        #expect(glanced == ["b", "a"])
    }

    @Test("a glance looks at a few polls, the newest among them", arguments: [1, 3, 10, 100])
    func glance(polls: Int) throws {
        for index in 0..<20 {
            let second = Double(index * 60)
            try record(
                second, [sample("a", "\(index + 1)", quotedAt: second), sample("b", "9", quotedAt: second)])
        }
        try record(1200, outcome: .failed)
        var prices: [Price] = []
        try writer.reader.glance(in: .init(usd()), polledSince: moment(0), polls: polls) { id, _, price in
            if id == market("a") { prices.append(price) }
        }
        #expect(prices.count <= polls && prices.count * 2 >= min(polls, 20))
        #expect(prices == prices.sorted())
        #expect(prices.last == price("20"))
        prices = []
        try writer.reader.glance(in: .init(usd()), polledSince: moment(1090), polls: polls) { _, _, price in
            prices.append(price)
        }
        #expect(prices.count == 2)
    }
}
