import Foundation
import Markets
import Testing

@testable import Views
@testable import pricewatch

@Suite struct ChartColumnTests {
    @Test("however many prices share a column, a single spike is kept", arguments: [1, 7, 80, 2000])
    func extremes(count: Int) throws {
        let points = try (0..<10_000).map { index in
            let price = index == 4321 ? 900.0 : index == 8765 ? 1.0 : 100 + Double(index % 3)
            return Candle(
                start: ChartScene.moment(Double(index)), first: try #require(Price(parsing: String(price))))
        }
        let axis = ChartAxis(from: points[0].start, to: ChartScene.moment(9999), ticks: 5, in: .utc)
        let columns = Chart.columns(of: points, on: axis, count: count)
        #expect(columns.count == min(count, 10_000))
        #expect(columns.map(\.index) == columns.map(\.index).sorted())
        let prices = columns.map(\.prices)
        #expect(prices.map(\.high.double).max() == 900 && prices.map(\.low.double).min() == 1)
        #expect(prices.first?.open.double == 100 && prices.last?.close.double == 100)
        #expect(prices.allSatisfy { $0.start >= points[0].start && $0.start <= ChartScene.moment(9999) })
    }
}
