import Foundation
import Markets

/// A chart as a standalone SVG, legible on light and dark backgrounds.
struct SVGChart {
    private let chart: Chart
    private let times: TimeAxis
    private let prices: PriceAxis?
    private let plot: Box

    /// In pixels.
    struct Box {
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double

        var width: Double { right - left }
        var height: Double { bottom - top }
    }

    private static let width = 960.0
    private static let height = 440.0
    /// The width of a digit in the axes' font, for the space of labels.
    private static let digit = 7.2

    init(_ chart: Chart) {
        self.chart = chart
        prices = chart.series.low.flatMap { low in
            chart.series.high.map { PriceAxis(covering: low.double, $0.double, ticks: 9) }
        }
        let labels = Double(prices?.longestLabel ?? 0) * Self.digit
        plot = Box(left: 24 + labels + 8, top: 76, right: Self.width - 28, bottom: Self.height - 64)
        times = TimeAxis(from: chart.start, to: chart.end, ticks: Int(plot.width / 70))
    }

    var text: String {
        // The longest title that does not overlap the time.
        let title = chart.title(atMost: 50)
        var svg = SVGWriter(width: Self.width, height: Self.height, title: "\(title), \(chart.time)")
        svg.text(24, 34, title, "title")
        svg.text(Self.width - 28, 34, chart.time, "fact end")
        svg.text(24, 58, chart.facts.joined(separator: " · "), "fact")
        drawGaps(&svg)
        drawAxes(&svg)
        if let prices {
            for stretch in chart.series.stretches { draw(stretch, prices, &svg) }
            drawEvents(prices, &svg)
        } else {
            svg.text((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2, "nothing recorded", "fact middle")
        }
        drawLegend(&svg)
        return svg.finished
    }

    private func x(_ moment: Date) -> Double { plot.left + times.share(of: moment) * plot.width }

    private func y(_ price: Double, _ axis: PriceAxis) -> Double { plot.bottom - axis.share(of: price) * plot.height }

    private func drawAxes(_ svg: inout SVGWriter) {
        for tick in prices?.ticks ?? [] {
            let y = y(tick.price, prices ?? PriceAxis(covering: 1, 1, ticks: 1))
            svg.line(plot.left, y, plot.right, y, "grid")
            svg.text(plot.left - 8, y + 4, tick.label, "label end")
        }
        for tick in times.ticks {
            let x = x(tick.at)
            svg.line(x, plot.bottom, x, plot.bottom + 5, "axis")
            // A label at the very end would exceed the picture.
            let room = Double(tick.label.count) * Self.digit / 2
            svg.text(min(x, Self.width - 4 - room), plot.bottom + 20, tick.label, "label middle")
        }
        svg.line(plot.left, plot.bottom, plot.right, plot.bottom, "axis")
    }

    /// Shaded, so that a gap does not look like a drawing error.
    private func drawGaps(_ svg: inout SVGWriter) {
        for gap in gaps {
            let (left, right) = (x(gap.lowerBound), x(gap.upperBound))
            svg.rectangle(
                left, plot.top, right - left, plot.height, "gap",
                tip: "nothing recorded from \(gap.lowerBound.utcText) to \(gap.upperBound.utcText)")
        }
    }

    /// Those at least 2 pixels wide, including before the first price and after the last.
    private var gaps: [Range<Date>] {
        var gaps = chart.series.gaps
        if let start = chart.series.start, let end = chart.series.end {
            let least = (chart.end.since(chart.start)) / 50
            if start.since(chart.start) > least { gaps.insert(chart.start..<start, at: 0) }
            if chart.end.since(end) > least { gaps.append(end..<chart.end) }
        }
        return gaps.filter { x($0.upperBound) - x($0.lowerBound) >= 2 }
    }

    /// One per pixel.
    private func columns(of stretch: [ChartPoint]) -> [ChartColumn] {
        ChartColumn.columns(of: stretch, on: times, count: Int(plot.width))
    }

    private func draw(_ stretch: [ChartPoint], _ axis: PriceAxis, _ svg: inout SVGWriter) {
        let columns = columns(of: stretch)
        func point(_ column: ChartColumn, _ price: Double) -> SVGWriter.Point { (x(column.at), y(price, axis)) }
        if columns.contains(where: { $0.low < $0.high }) {
            let above = columns.map { point($0, $0.high) }
            let below = columns.map { point($0, $0.low) }
            svg.path(above + below.reversed(), closed: true, "range")
        }
        if columns.count == 1 {
            let (x, y) = point(columns[0], columns[0].close)
            svg.circle(x, y, 2.5, "dot")
        } else {
            svg.path(columns.map { point($0, $0.close) }, closed: false, "price")
        }
    }

    private func drawEvents(_ axis: PriceAxis, _ svg: inout SVGWriter) {
        for mark in SVGEventMark.marks(chart.events, at: x) {
            let price = mark.events.last?.price?.double
            let y = price.map { self.y($0, axis) } ?? plot.top + 8
            switch mark.shape {
            case .up:
                // The mark is below a risen price and above a fallen one, so that the line stays visible.
                let y = min(y + 6, plot.bottom - 12)
                svg.shape([(mark.x, y), (mark.x - 6, y + 11), (mark.x + 6, y + 11)], "firing", tip: mark.tip)
            case .down:
                let y = max(y - 6, plot.top + 2)
                svg.shape([(mark.x, y), (mark.x - 6, y - 11), (mark.x + 6, y - 11)], "firing", tip: mark.tip)
            case .about: svg.circle(mark.x, y, 5, "firing", tip: mark.tip)
            case .resolved: svg.circle(mark.x, y, 4.5, "resolved", tip: mark.tip)
            }
        }
    }

    private func drawLegend(_ svg: inout SVGWriter) {
        var x = plot.left
        let y = Self.height - 18
        func add(_ text: String, _ draw: (inout SVGWriter) -> Void) {
            draw(&svg)
            svg.text(x + 18, y + 4, text, "label")
            x += 18 + Double(text.count) * Self.digit + 24
        }
        if chart.series.stretches.contains(where: { columns(of: $0).contains { $0.low < $0.high } }) {
            add("high to low") { $0.rectangle(x, y - 5, 12, 10, "range") }
        }
        if !gaps.isEmpty { add("nothing recorded") { $0.rectangle(x, y - 5, 12, 10, "gap") } }
        if chart.events.contains(where: { $0.kind == .firing }) {
            add("alert fired") { $0.shape([(x + 6, y - 6), (x, y + 5), (x + 12, y + 5)], "firing") }
        }
        if chart.events.contains(where: { $0.kind == .resolved }) {
            add("resolved") { $0.circle(x + 6, y, 4.5, "resolved") }
        }
    }
}
