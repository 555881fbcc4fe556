import Engine
import Foundation
import Markets

/// A chart as SVG, legible on light and dark backgrounds.
package struct SVGChart {
    private let chart: Chart
    private let times: ChartAxis
    private let prices: ChartAxis?

    // The picture and its plot, in pixels.
    private static let (width, height) = (960.0, 440.0)
    private static let (top, right, bottom) = (76.0, 932.0, 376.0)
    private let left: Double
    /// The width of a digit in the axes' font, for the space of labels.
    private static let digit = 7.2

    package init(_ chart: Chart) {
        self.chart = chart
        prices = chart.range.map { range in
            let shown = chart.thresholds.map(\.price.double).filter { Self.isNear($0, range) }
            let low = min(range.lowerBound.double, shown.min() ?? .infinity)
            return ChartAxis(prices: low, max(range.upperBound.double, shown.max() ?? 0), ticks: 9)
        }
        left = 32 + Double(prices?.ticks.map(\.label.count).max() ?? 0) * Self.digit
        times = ChartAxis(from: chart.start, to: chart.end, ticks: Int((Self.right - left) / 70), in: chart.zone)
    }

    /// Whether a threshold can be shown without flattening the prices.
    private static func isNear(_ threshold: Double, _ range: ClosedRange<Price>) -> Bool {
        let (low, high) = (range.lowerBound.double, range.upperBound.double)
        let room = max((high - low) / 2, high * 0.005)
        return threshold > low - room && threshold < high + room
    }

    /// A standalone picture.
    package var file: MarkupWriter {
        // The longest title that does not overlap the time.
        let title = chart.title(atMost: 50)
        var svg = SVGWriter()
        svg.text(24, 34, title, "title")
        svg.text(Self.right, 34, chart.time, "fact end")
        svg.text(24, 58, chart.facts.joined(separator: " · "), "fact")
        draw(&svg)
        drawLegend(&svg)
        return svg.file(width: Self.width, height: Self.height, title: "\(title), \(chart.time)")
    }

    /// A part of a web page, which has the title, the facts and the legend as text.
    package var inline: MarkupWriter {
        var svg = SVGWriter()
        draw(&svg)
        return svg.inline(
            width: Self.width, height: Self.bottom + 32, from: Self.top - 16,
            title: "\(chart.title(atMost: 50)), \(chart.time)",
            description: chart.facts.joined(separator: ", ") + "; \(chart.events.count) alert events")
    }

    private func draw(_ svg: inout SVGWriter) {
        drawGaps(&svg)
        drawTimes(&svg)
        if let prices {
            draw(prices, &svg)
            for threshold in thresholds { draw(threshold, prices, &svg) }
            for stretch in chart.stretches { draw(stretch, prices, &svg) }
            for events in marks { draw(events, prices, &svg) }
        } else {
            svg.text((left + Self.right) / 2, (Self.top + Self.bottom) / 2, "nothing recorded", "fact middle")
        }
    }

    private func x(_ moment: Date) -> Double { left + times.share(of: moment) * (Self.right - left) }

    private func y(_ price: Double, _ axis: ChartAxis) -> Double {
        Self.bottom - axis.share(of: price) * (Self.bottom - Self.top)
    }

    private func draw(_ axis: ChartAxis, _ svg: inout SVGWriter) {
        for (place, tick) in axis.ticks.enumerated() {
            let y = y(tick.value, axis)
            svg.line(from: (left, y), to: (Self.right, y), "grid")
            svg.text(left - 8, y + 4, tick.label, "label end\(Self.alternate(place))")
        }
    }

    /// A page hides every other label where larger ones would overlap.
    private static func alternate(_ place: Int) -> String { place % 2 == 0 ? "" : " alternate" }

    private func drawTimes(_ svg: inout SVGWriter) {
        for (place, tick) in times.ticks.enumerated() {
            let x = x(Date(timeIntervalSince1970: tick.value))
            svg.line(from: (x, Self.bottom), to: (x, Self.bottom + 5), "axis")
            // A label at the very end would exceed the picture.
            let room = Double(tick.label.count) * Self.digit / 2
            svg.text(
                min(x, Self.width - 4 - room), Self.bottom + 20, tick.label,
                "label middle\(Self.alternate(place))")
        }
        svg.line(from: (left, Self.bottom), to: (Self.right, Self.bottom), "axis")
    }

    /// Those that are not far beyond the plot.
    private var thresholds: [Chart.Threshold] {
        guard let prices else { return [] }
        return chart.thresholds.filter { (prices.low...prices.high).contains($0.price.double) }
    }

    private func draw(_ threshold: Chart.Threshold, _ axis: ChartAxis, _ svg: inout SVGWriter) {
        let y = y(threshold.price.double, axis)
        let label = SafeText.printable("\(threshold.rule) \(Digits.separated(threshold.price.description))", atMost: 60)
        svg.line(from: (left, y), to: (Self.right, y), "threshold", tip: label)
        svg.text(Self.right, y - 5, label, "label end")
    }

    /// Shaded, so that a gap does not look like a drawing error.
    private func drawGaps(_ svg: inout SVGWriter) {
        for gap in gaps {
            let (from, to) = (x(gap.lowerBound), x(gap.upperBound))
            svg.rectangle(
                (from, Self.top), width: to - from, height: Self.bottom - Self.top, "gap",
                tip: "nothing recorded from \(chart.zone.text(from: gap.lowerBound, to: gap.upperBound))")
        }
    }

    /// Those at least 2 pixels wide; none if there is no price at all.
    private var gaps: [Range<Date>] {
        prices == nil ? [] : chart.gaps.filter { x($0.upperBound) - x($0.lowerBound) >= 2 }
    }

    /// One per pixel.
    private func columns(of stretch: [Candle]) -> [Candle] {
        Chart.columns(of: stretch, on: times, count: Int(Self.right - left)).map(\.prices)
    }

    private func draw(_ stretch: [Candle], _ axis: ChartAxis, _ svg: inout SVGWriter) {
        let columns = columns(of: stretch)
        func points(_ price: (Candle) -> Price) -> [SVGWriter.Point] {
            columns.map { (x($0.start), y(price($0).double, axis)) }
        }
        if columns.contains(where: { $0.low < $0.high }) {
            svg.polygon(through: points(\.high) + points(\.low).reversed(), "range")
        }
        let line = points(\.close)
        if line.count == 1 {
            svg.circle(line[0], radius: 2.5, "dot")
        } else {
            svg.polyline(through: line, "price")
        }
    }

    /// Events of one kind and direction that are at the same place share a mark.
    private var marks: [[AlertEvent]] {
        var marks: [[AlertEvent]] = []
        for event in chart.events {
            let last = marks.lastIndex { $0[0].kind == event.kind && $0[0].direction == event.direction }
            if let last, x(event.at) - x(marks[last][0].at) < 7 {
                marks[last].append(event)
            } else {
                marks.append([event])
            }
        }
        return marks
    }

    private func draw(_ events: [AlertEvent], _ axis: ChartAxis, _ svg: inout SVGWriter) {
        let x = x(events[0].at)
        let y = events.last?.price.map { self.y($0.double, axis) } ?? Self.top + 8
        let tip = tip(of: events)
        switch (events[0].kind, events[0].direction) {
        case (.resolved, _): svg.circle((x, y), radius: 4.5, "resolved", tip: tip)
        case (_, nil): svg.circle((x, y), radius: 5, "firing", tip: tip)
        case (_, .up):
            // The mark is below a risen price and above a fallen one, so that the line stays visible.
            let y = min(y + 6, Self.bottom - 12)
            svg.polygon(through: [(x, y), (x - 6, y + 11), (x + 6, y + 11)], "firing", tip: tip)
        case (_, .down):
            let y = max(y - 6, Self.top + 2)
            svg.polygon(through: [(x, y), (x - 6, y - 11), (x + 6, y - 11)], "firing", tip: tip)
        }
    }

    private func tip(of events: [AlertEvent]) -> String {
        let most = 6
        let lines = events.prefix(most).map { event in
            let price = event.price.map { " at \($0) \(event.currency)" } ?? ""
            let text = "\(chart.zone.text(event.at)) \(event.rule) \(event.kind.rawValue)\(price) (\(event.condition))"
            return SafeText.printable(text, atMost: 200)
        }
        let more = events.count > most ? ["and \(events.count - most) more"] : []
        return (lines + more).joined(separator: "\n")
    }

    private func drawLegend(_ svg: inout SVGWriter) {
        var x = left
        let y = Self.height - 18
        for (text, draw) in legend {
            draw(&svg, x, y)
            svg.text(x + 18, y + 4, text, "label")
            x += 18 + Double(text.count) * Self.digit + 24
        }
    }

    /// The caption of an inline chart: the legend as text, which a small screen can wrap.
    package var caption: MarkupWriter {
        var html = MarkupWriter()
        for (text, draw) in legend {
            var svg = SVGWriter()
            draw(&svg, 1, 7)
            html.element("span", ["class": "sign"]) { html in
                html.append(svg.sign(width: 16, height: 14))
                html.write(text)
            }
            html.write(" ")
        }
        return html
    }

    /// What the signs mean, each with a drawing that begins at a place and has its middle there.
    private var legend: [(text: String, draw: (inout SVGWriter, Double, Double) -> Void)] {
        func square(_ style: String) -> (inout SVGWriter, Double, Double) -> Void {
            { $0.rectangle(($1, $2 - 5), width: 12, height: 10, style) }
        }
        var legend: [(text: String, draw: (inout SVGWriter, Double, Double) -> Void)] = []
        if chart.stretches.contains(where: { columns(of: $0).contains { $0.low < $0.high } }) {
            legend.append(("high to low", square("range")))
        }
        if !gaps.isEmpty { legend.append(("nothing recorded", square("gap"))) }
        if !thresholds.isEmpty {
            legend.append(("threshold of a rule", { $0.line(from: ($1, $2), to: ($1 + 14, $2), "threshold") }))
        }
        if chart.events.contains(where: { $0.kind == .firing }) {
            legend.append(
                (
                    "alert fired",
                    { $0.polygon(through: [($1 + 6, $2 - 6), ($1, $2 + 5), ($1 + 12, $2 + 5)], "firing") }
                ))
        }
        if chart.events.contains(where: { $0.kind == .resolved }) {
            legend.append(("resolved", { $0.circle(($1 + 6, $2), radius: 4.5, "resolved") }))
        }
        return legend
    }
}
