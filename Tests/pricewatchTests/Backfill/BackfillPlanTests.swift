import Engine
import Feeds
import Foundation
import HTTP
import History
import Markets
import Testing

@testable import pricewatch

@Suite struct BackfillPlanTests {
    static let now = Date(timeIntervalSince1970: 1_795_255_200 + 1800)

    /// From so many hours ago to so many hours ago.
    private func hole(_ from: Double, _ to: Double) -> Range<Date> {
        Self.now.addingTimeInterval(-from * 3600)..<Self.now.addingTimeInterval(-to * 3600)
    }

    private func feed(
        _ provider: any Provider, _ name: String, _ network: NetworkTransport
    ) throws -> Feed {
        let environment = FeedEnvironment(
            feed: name, baseURL: try BaseURL("http://127.0.0.1:9"), userAgent: "pricewatch/0 (+tests)")
        return Feed(FeedClient(provider, environment, transport: network, memory: TransientMemory()))
    }

    /// `market feed from-to` of each step, in hours ago, and the holes that it fills.
    private func plan(_ holes: [String: [Range<Date>]], _ markets: [String]) async throws -> [String] {
        let network = try NetworkTransport()
        let feeds = [
            try feed(CoinPaprika(plan: .public), "p", network), try feed(CoinGecko(plan: .public), "g", network),
            try feed(Binance(), "b", network),
        ]
        let sources = try markets.compactMap { text in
            let market = try MarketID(text)
            let names = ["p", "g", "b"].filter { $0 != "g" || text != "d" }
            return feeds.first { $0.offersPast && names.contains($0.name) }.map { feed in
                PastSource(
                    feed: feed, entry: Watch.Entry(market, providerID: "\(feed.name)-\(text)"), source: .shared,
                    every: .minutes(1), pause: .zero, quota: nil)
            }
        }
        var known: [MarketID: Holes] = [:]
        for (market, stretches) in holes { known[try MarketID(market)] = Holes(stretches) }
        let plan = BackfillPlan(known, sources, in: .init(.usd), now: Self.now)
        await network.shutdown()
        func hours(_ date: Date) -> String {
            String(format: "%g", (Self.now.since(date).inSeconds / 360).rounded() / 10)
        }
        return plan.steps.map { step in
            let filled = step.holes.stretches.map { "\(hours($0.lowerBound))-\(hours($0.upperBound))" }
            return "\(step.source.entry.providerID) \(filled.joined(separator: ","))"
        }
    }

    @Test func `the newest holes come first, then the order of the configuration; one question fills all it can`()
        async throws
    {
        let steps = try await plan(
            [
                "a": [hole(700, 650), hole(20, 10)], "b": [hole(6, 0)], "c": [hole(6, 0.001), hole(900, 20)],
                "d": [hole(6, 0)],
            ], ["d", "c", "b", "a"])
        #expect(
            steps == [
                "b-d 6-0", "g-c 24-20,6-0", "g-b 6-0", "g-a 20-10", "g-c 900-24", "g-a 700-650",
            ])
    }

    @Test func `a hole that is no longer than the provider's step is not asked for`() async throws {
        #expect(try await plan(["a": [hole(1.05, 1), hole(48.9, 48)]], ["a"]) == [])
        #expect(try await plan(["a": [hole(1.1, 1), hole(49.1, 48)]], ["a"]) == ["g-a 1.1-1", "g-a 49.1-48"])
    }

    @Test func `what no feed has is left out, and what lies out of reach`() async throws {
        #expect(try await plan(["x": [hole(6, 0)]], ["a"]) == [])
        #expect(try await plan(["a": [hole(24 * 500, 24 * 400)]], ["a"]) == [])
        #expect(try await plan(["a": [hole(24 * 100, 25)]], ["a"]) == ["g-a 2161-25", "g-a 2400-2161"])
    }

    @Test(
        "polls come first: the daemon takes a tenth of what is left of the month, a command half",
        arguments: [
            (nil, 5, Int.max, Int.max), (10_000, 0, 1000, 5000), (100, 81, 1, 9), (100, 100, 0, 0), (5, 9, 0, 0),
        ]
            as [(Int?, Int, Int, Int)])
    func budget(quota: Int?, used: Int, daemon: Int, command: Int) {
        #expect(BackfillBudget.daemon.requests(quota: quota, used: used) == daemon)
        #expect(BackfillBudget.command.requests(quota: quota, used: used) == command)
    }
}
