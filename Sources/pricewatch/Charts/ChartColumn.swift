import Foundation

/// The part of a stretch in one column of the drawing. It keeps the extremes of all its prices.
struct ChartColumn: Hashable {
    var index: Int
    /// The middle of the time range of its prices.
    var at: Date
    var open: Double
    var high: Double
    var low: Double
    var close: Double

    /// The non-empty columns of one stretch, in order.
    static func columns(of stretch: [ChartPoint], on axis: TimeAxis, count: Int) -> [ChartColumn] {
        var columns: [ChartColumn] = []
        var began = Date.distantPast
        for point in stretch {
            let index = min(count - 1, Int(axis.share(of: point.at) * Double(count)))
            if let last = columns.indices.last, columns[last].index == index {
                columns[last].high = max(columns[last].high, point.high)
                columns[last].low = min(columns[last].low, point.low)
                columns[last].close = point.close
                columns[last].at = began.addingTimeInterval(point.at.timeIntervalSince(began) / 2)
            } else {
                began = point.at
                columns.append(
                    ChartColumn(
                        index: index, at: point.at, open: point.open, high: point.high, low: point.low,
                        close: point.close))
            }
        }
        return columns
    }
}
