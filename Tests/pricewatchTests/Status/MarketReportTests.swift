import Engine
import Foundation
import Markets
import Testing

@testable import Views
@testable import pricewatch

@Suite struct MarketReportTests {
    private func report(_ changes: [(String, Int64?)], notFresh: [String: MarketBoard.Entry.State] = [:]) throws
        -> MarketReport
    {
        let moves = try changes.map { (market: try MarketID($0.0), change: $0.1.map(Percent.init(hundredths:))) }
        var status = StatusReport()
        status.summary = DaySummary(changes: moves, coverage: Percent(hundredths: 9970))
        status.markets = moves.map { id, change in
            var market = StatusReport.Market()
            (market.market, market.change, market.state) = (id, change, notFresh[id.text] ?? .fresh)
            return market
        }
        return MarketReport(
            window: Window(text: "24h", length: .hours(24)), at: ChartScene.moment(0), currency: .usd, zone: .utc,
            status: status)
    }

    @Test("reads like a market report")
    func lines() throws {
        var report = try report(
            [("bitcoin", 125), ("solana", 810), ("cardano", -250), ("tether", 0), ("x", nil), ("y", nil), ("z", nil)],
            notFresh: ["x": .missing, "y": .stale])
        report.events = [
            try ChartScene.event(.firing, at: -60, price: "1"), try ChartScene.event(.resolved, at: -50, price: "1"),
        ]
        report.status.firing = [try ChartScene.event(.firing, at: -60, price: "1", rule: "peg")]
        #expect(
            report.lines(on: Terminal()).joined(separator: "\n") == """
                24h to 2026-11-21 10:00 UTC: 7 markets in usd
                  moves     2 up, 1 down, 1 flat, 3 unknown
                  breadth   2 of 4 rose (50 %)
                  median    +0.63 %
                  gainers   solana +8.1 %, bitcoin +1.25 %
                  losers    cardano -2.5 %
                  coverage  99.7 % of this time was watched
                  stale     y
                  missing   x
                  unknown   1 without a price 24h ago
                  alerts    1 fired, 1 resolved, 1 firing now
                  firing    peg on bitcoin
                """)
    }

    @Test(
        "the median is the middle, or half way between the two",
        arguments: [
            ([5], 5), ([-5, 5], 0), ([1, 2], 2), ([-1, -2], -2), ([3, 1, 2], 2), ([1, 2, 100, 200], 51), ([], nil),
        ] as [([Int64], Int64?)])
    func median(changes: [Int64], median: Int64?) throws {
        let report = try report(changes.enumerated().map { ("m\($0.offset)", $0.element) })
        #expect(report.median == median.map(Percent.init(hundredths:)))
    }

    @Test("nothing recorded yet is said in words")
    func empty() throws {
        #expect(
            try report([]).lines(on: Terminal()) == [
                "24h to 2026-11-21 10:00 UTC: 0 markets in usd",
                "  nothing was recorded yet; see why: pricewatch status",
            ])
    }
}
