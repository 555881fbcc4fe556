import Foundation
import Markets
import Testing

@testable import MarketSimulator

@Suite struct MarketChartTests {
    private static let time = Date(milliseconds: 1_795_262_400_123)
    private static let now = 1_795_262_400

    private func points(
        _ simulator: CoinGeckoSimulator, from: Int, to: Int = 1_795_262_401
    ) async throws -> [[Double]] {
        let path = "/coins/bitcoin/market_chart/range?from=\(from)&to=\(to)&vs_currency=usd"
        let url = simulator.baseURL + path
        let chart = try await get(url).json as? [String: [[Double]]]
        #expect(chart?["market_caps"]?.count == chart?["prices"]?.count)
        #expect(chart?["total_volumes"]?.count == chart?["prices"]?.count)
        return chart?["prices"] ?? []
    }

    @Test(arguments: [
        (now - 86_400, now, 288, 300_000), (now - 30 * 86_400, now, 720, 3_600_000),
        (now - 90 * 86_400, now, 2160, 3_600_000), (now - 91 * 86_400, now, 91, 86_400_000),
        (now - 365 * 86_400, now, 365, 86_400_000), (1_795_255_200, 1_795_262_400, 24, 300_000),
        (1_794_000_000, 1_794_086_400, 24, 3_600_000), (1_770_000_000, 1_795_000_000, 289, 86_400_000),
    ])
    func pointsLieAsCoinGeckoSpacesThem(from: Int, to: Int, count: Int, spacing: Double) async throws {
        try await withSimulator(.start(now: { Self.time })) { simulator async throws in
            let times = try await points(simulator, from: from, to: to).map { $0[0] }
            #expect((count - 1...count + 1).contains(times.count))
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }.dropLast()
            #expect(steps.allSatisfy { abs($0 - spacing) <= 20_000 })
        }
    }

    @Test func theSeriesIsOneOfAbsoluteTime() async throws {
        try await withSimulator(.start(now: { Self.time })) { simulator async throws in
            let month = try await points(simulator, from: Self.now - 30 * 86_400)
            let range = try await points(simulator, from: 1_794_000_000, to: 1_794_600_000)
            let values = Dictionary(uniqueKeysWithValues: month.map { ($0[0], $0[1]) })
            #expect(range.count > 100)
            for point in range { #expect(values[point[0]] == point[1]) }
        }
    }

    @Test func endsNowAndHoldsNothingOfTheFuture() async throws {
        try await withSimulator(.start(now: { Self.time })) { simulator async throws in
            let day = try await points(simulator, from: Self.now - 86_400)
            #expect(day.last?[0] == Double(Self.time.milliseconds))
            let future = try await points(simulator, from: 1_795_262_000, to: 1_795_999_999)
            #expect(future.allSatisfy { $0[0] <= Double(Self.time.milliseconds) })
        }
    }

    @Test func thePastLeadsToTheFirstAnswer() async throws {
        try await withSimulator(.start(script: [bitcoin: [price("60000"), price("1")]])) { simulator async throws in
            let now = Int(Date().timeIntervalSince1970)
            let last = try #require(try await points(simulator, from: now - 86_400, to: now).last?[1])
            #expect(abs(last / 60_000 - 1) < 0.1)
        }
    }
}
