import Foundation
import Testing

@testable import pricewatch

@Suite struct ChartColumnTests {
    @Test("however many prices share a column, a single spike is kept", arguments: [1, 7, 80, 2000])
    func extremes(count: Int) {
        let points = (0..<10_000).map { index in
            let price = index == 4321 ? 900.0 : index == 8765 ? 1.0 : 100 + Double(index % 3)
            return ChartPoint(
                at: ChartScene.moment(Double(index)), open: price, high: price, low: price, close: price)
        }
        let axis = TimeAxis(from: points[0].at, to: ChartScene.moment(9999), ticks: 5)
        let columns = ChartColumn.columns(of: points, on: axis, count: count)
        #expect(columns.count == min(count, 10_000))
        #expect(columns.map(\.index) == columns.map(\.index).sorted())
        #expect(columns.map(\.high).max() == 900 && columns.map(\.low).min() == 1)
        #expect(columns.first?.open == 100 && columns.last?.close == 100)
        #expect(columns.allSatisfy { $0.at >= axis.start && $0.at <= axis.end })
    }
}
