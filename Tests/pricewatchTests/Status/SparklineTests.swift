import Engine
import Foundation
import Markets
import Testing

@testable import Views
@testable import pricewatch

@Suite struct SparklineTests {
    @Test(
        "as high as its price, blank where nothing is known",
        arguments: [
            ([1, 2, 3, 4, 5, 6, 7, 8], 8, true, "▁▂▃▄▅▆▇█"),
            ([1, nil, 8], 3, true, "▁ █"),
            ([1, 1, 1], 3, true, "▅▅▅"),
            ([1.0000, 1.0001, 0.9999], 3, true, "▄▅▄"),
            ([1, 8, 1, nil, 8, 8], 3, true, "█▁█"),
            ([1, 8], 4, true, "  ▁█"),
            ([], 3, true, "   "), ([nil, nil], 2, true, "  "),
            ([1, 2, 3, 4, 5], 5, false, "_.-~^"),
        ] as [([Double?], Int, Bool, String)])
    func texts(prices: [Double?], width: Int, utf8: Bool, text: String) {
        #expect(Sparkline.text(prices, width: width, utf8: utf8) == text)
    }

    @Test(
        "a young history is shown over a shorter time, which holds each poll",
        arguments: [
            (20.0, Duration.seconds(2), "1m"), (200, .seconds(2), "5m"), (20, .minutes(1), "1h"),
            (3000, .minutes(1), "1h"), (4000, .minutes(1), "6h"), (90_000, .minutes(1), "1d"),
            (20, .minutes(5), "6h"), (20, .hours(6), "1d"),
        ])
    func window(age: Double, every: Duration, window: String) {
        let now = ChartScene.moment(0)
        let trends = Trends(oldest: now.addingTimeInterval(-age), every: every, now: now)
        #expect(trends.window.unitsText == window)
    }

    @Test("a piece holds its newest price; what is older than the window is left out")
    func pieces() throws {
        let now = ChartScene.moment(30)
        let bitcoin = try MarketID("bitcoin")
        var trends = Trends(oldest: now - .hours(100), every: .minutes(1), now: now)
        for (hours, text) in [(-30.0, "1"), (-23, "2"), (-1, "3"), (-0.9, "4"), (0.2, "5"), (0.6, "6")] {
            let price = try #require(Price(parsing: text))
            trends.add(bitcoin, price, quotedAt: ChartScene.moment(hours * 60))
        }
        let prices = trends.prices[bitcoin] ?? []
        #expect(prices.count == 24)
        #expect(prices.first == 2 && prices[22] == 4 && prices[23] == 6)
        #expect(prices.compactMap { $0 }.count == 3)
        #expect(try trends.prices[MarketID("other")] == nil)
    }
}
