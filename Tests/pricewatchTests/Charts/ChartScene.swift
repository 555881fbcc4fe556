import Foundation
import History
import Markets
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

/// Charts as tests draw them: minutes after 2026-11-21T10:00:00Z.
enum ChartScene {
    static func moment(_ minutes: Double) -> Date {
        Date(timeIntervalSince1970: 1_795_255_200 + minutes * 60)
    }

    /// A chart of prices at minutes, cut into stretches where nil stands.
    static func chart(
        _ prices: [(minute: Double, price: String)?], minutes: ClosedRange<Double> = 0...60, name: String = "Bitcoin",
        events: [AlertEvent] = []
    ) throws -> Chart {
        var polls: [PolledMarket] = []
        var last = minutes.lowerBound
        for entry in prices {
            guard let entry else {
                polls.append(PolledMarket(polledAt: moment(last + 0.01), finding: .nothing))
                continue
            }
            last = entry.minute
            let price = try #require(Price(parsing: entry.price))
            polls.append(PolledMarket(polledAt: moment(last), finding: .quoted(at: moment(last), price)))
        }
        var chart = Chart(
            of: try MarketID("bitcoin"), in: .usd, from: moment(minutes.lowerBound), to: moment(minutes.upperBound),
            Stretches.of(polls, every: .minutes(1), staleAfter: .minutes(100_000)))
        chart.symbol = "btc"
        chart.name = name
        chart.events = events
        return chart
    }

    static func event(
        _ kind: AlertEvent.Kind, at minute: Double, price: String?, rule: String = "high",
        condition: AlertRule.Condition = "above 100"
    ) throws -> AlertEvent {
        AlertEvent(
            id: "\(minute)", kind: kind, reason: .firstFiring, rule: rule, market: try MarketID("bitcoin"),
            symbol: "btc", name: "Bitcoin", currency: .usd, severity: .warning, note: nil, condition: condition,
            price: price.flatMap { Price(parsing: $0) }, threshold: nil, at: moment(minute), quotedAt: nil, since: nil,
            feed: nil, host: "box")
    }
}
