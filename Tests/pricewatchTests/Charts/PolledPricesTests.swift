import Engine
import Foundation
import History
import Markets
import Testing

@testable import Views
@testable import pricewatch

/// Where a line may be drawn and where not.
@Suite struct PolledPricesTests {
    /// `p` a new price, `u` nothing new, `x` a failed poll or no usable price, `.` no poll; `b` a backfilled price. One
    /// minute each.
    private func breaks(_ story: String, staleAfter: Duration = .minutes(15)) throws -> [Int] {
        var polls: [PolledMarket] = []
        let price = try #require(Price(parsing: "1"))
        for (minute, sign) in story.enumerated() {
            let at = ChartScene.moment(Double(minute))
            switch sign {
            case "p": polls.append(PolledMarket(polledAt: at, finding: .quoted(at: at, price)))
            case "u": polls.append(PolledMarket(polledAt: at, finding: .unchanged))
            case "x": polls.append(PolledMarket(polledAt: at, finding: .nothing))
            case "b":
                polls.append(
                    PolledMarket(
                        polledAt: ChartScene.moment(1000), isBackfilled: true, finding: .quoted(at: at, price)))
            default: break
            }
        }
        let lengths = Stretches.of(polls, every: .minutes(1), staleAfter: staleAfter).map(\.count)
        return lengths.dropLast().reduce(into: []) { breaks, length in breaks.append((breaks.last ?? 0) + length) }
    }

    @Test(
        "a gap is where polls failed or were left out; an unchanged price is known until it is stale",
        arguments: [
            ("pppppppp", []),
            ("ppppxppp", [4]),
            ("pppp.ppp", []),
            ("pppp..ppp", [4]),
            ("pppp........pppp", [4]),
            ("ppppuuuuupppp", []),
            ("ppppuuuuuuuuuuuuuuuuuuuupppp", [4]),
            ("ppppuu....uupppp", [4]),
            ("p....p....p....p", []),
            ("p....p....p.............p....p", [3]),
            ("ppppbbbbpppp", []),
            ("pppppxxxxxxxxppppp", [5]),
            ("pppppbxbxbxbxbppppp", []),
            ("p.....................p", [1]),
            ("p", []), ("", []), ("xx", []),
        ] as [(String, [Int])])
    func gaps(story: String, expected: [Int]) throws { #expect(try breaks(story) == expected) }

    @Test("backfilled prices every five minutes and live ones every minute are no gap to each other")
    func mixedSteps() throws {
        let (before, around, later) = (
            try breaks("b....b....b....b....b....ppppppp"), try breaks("ppppppp....b....b....b....b....b....ppppp"),
            try breaks("ppppppp..............b....b....b....b....ppppp")
        )
        #expect(before == [])
        #expect(around == [])
        #expect(later == [7])
    }

    @Test("a candle that is missing leaves a gap, also where candles come every four hours")
    func candles() throws {
        let price = try #require(Price(parsing: "5"))
        func stretches(_ hours: [Int]) -> [Int] {
            let candles = hours.map { Candle(start: ChartScene.moment(Double($0 * 60)), first: price) }
            return Stretches.of(hourly: candles, until: ChartScene.moment(100_000)).map(\.count)
        }
        #expect(stretches([0, 1, 2, 3, 4]) == [5])
        #expect(stretches([0, 1, 2, 4, 5, 6]) == [3, 3])
        #expect(stretches([0, 4, 8, 12, 16]) == [5])
        #expect(stretches([0, 4, 8, 20, 24, 28]) == [3, 3])
        #expect(stretches([7]) == [1])
        #expect(stretches([]) == [])
    }

    @Test("gaps lie between the stretches, and the figures cover all of them")
    func series() throws {
        let chart = try ChartScene.chart([(0, "10"), (1, "12"), nil, (5, "8"), (6, "9.5")])
        #expect(chart.gaps.first == ChartScene.moment(1)..<ChartScene.moment(5))
        #expect(chart.range?.upperBound.description == "12")
        #expect(chart.range?.lowerBound.description == "8")
        #expect(chart.change == Percent(hundredths: -500))
        #expect(chart.stretches.map(\.count) == [2, 2])
    }
}
