import Foundation
import Markets
import Testing

@testable import MarketSimulator

@Suite struct MarketChartTests {
    private static let now = Date(milliseconds: 1_795_262_400_123)

    private func points(_ simulator: CoinGeckoSimulator, _ path: String) async throws -> [[Double]] {
        let url = simulator.baseURL + "/coins/bitcoin/market_chart" + path + "&vs_currency=usd"
        let chart = try await get(url).json as? [String: [[Double]]]
        #expect(chart?["market_caps"]?.count == chart?["prices"]?.count)
        #expect(chart?["total_volumes"]?.count == chart?["prices"]?.count)
        return chart?["prices"] ?? []
    }

    @Test(arguments: [
        ("?days=1", 288, 300_000), ("?days=30", 720, 3_600_000), ("?days=90", 2160, 3_600_000),
        ("?days=91", 91, 86_400_000), ("?days=max", 365, 86_400_000),
        ("/range?from=1795255200&to=1795262400", 24, 300_000),
        ("/range?from=1794000000&to=1794086400", 24, 3_600_000),
        ("/range?from=1770000000&to=1795000000", 289, 86_400_000),
    ])
    func pointsLieAsCoinGeckoSpacesThem(path: String, count: Int, spacing: Double) async throws {
        try await withSimulator(.start(now: { Self.now })) { simulator async throws in
            let times = try await points(simulator, path).map { $0[0] }
            #expect((count - 1...count + 1).contains(times.count))
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }.dropLast()
            #expect(steps.allSatisfy { abs($0 - spacing) <= 20_000 })
        }
    }

    @Test func theSeriesIsOneOfAbsoluteTime() async throws {
        try await withSimulator(.start(now: { Self.now })) { simulator async throws in
            let month = try await points(simulator, "?days=30")
            let range = try await points(simulator, "/range?from=1794000000&to=1794600000")
            let values = Dictionary(uniqueKeysWithValues: month.map { ($0[0], $0[1]) })
            #expect(range.count > 100)
            for point in range { #expect(values[point[0]] == point[1]) }
        }
    }

    @Test func endsNowAndHoldsNothingOfTheFuture() async throws {
        try await withSimulator(.start(now: { Self.now })) { simulator async throws in
            let day = try await points(simulator, "?days=1")
            #expect(day.last?[0] == Double(Self.now.milliseconds))
            let future = try await points(simulator, "/range?from=1795262000&to=1795999999")
            #expect(future.allSatisfy { $0[0] <= Double(Self.now.milliseconds) })
        }
    }

    @Test func thePastLeadsToTheFirstAnswer() async throws {
        try await withSimulator(.start(script: [bitcoin: [price("60000"), price("1")]])) { simulator async throws in
            let last = try #require(try await points(simulator, "?days=1").last?[1])
            #expect(abs(last / 60_000 - 1) < 0.1)
        }
    }
}
