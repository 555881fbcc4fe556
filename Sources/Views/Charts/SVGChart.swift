import Engine
import Foundation
import Markets

/// A chart as SVG, legible on light and dark backgrounds.
package struct SVGChart {
    private let chart: Chart
    private let times: ChartAxis
    private let prices: ChartAxis?

    private let isNarrow: Bool
    // The picture and its plot, in pixels.
    private let width: Double
    private let left: Double
    private let right: Double
    private let bottom: Double
    private static let top = 76.0
    /// The width of a digit in the axes' font, for the space of labels.
    private static let digit = 7.2

    /// - Parameter isNarrow: For a phone: letters as large, and fewer of them.
    package init(_ chart: Chart, isNarrow: Bool = false) {
        self.chart = chart
        self.isNarrow = isNarrow
        width = isNarrow ? 360 : 960
        right = width - (isNarrow ? 8 : 28)
        bottom = Self.top + (isNarrow ? 220 : 300)
        prices = chart.range.map { range in
            let shown = chart.thresholds.map(\.price.double).filter { Self.isNear($0, range) }
            let low = min(range.lowerBound.double, shown.min() ?? .infinity)
            return ChartAxis(prices: low, max(range.upperBound.double, shown.max() ?? 0), ticks: isNarrow ? 6 : 9)
        }
        left = (isNarrow ? 12 : 32) + Double(prices?.ticks.map(\.label.count).max() ?? 0) * Self.digit
        times = ChartAxis(
            from: chart.start, to: chart.end, ticks: Int((right - left) / (isNarrow ? 52 : 70)), in: chart.zone)
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
        svg.text(right, 34, chart.time, "fact end")
        svg.text(24, 58, chart.facts.joined(separator: " · "), "fact")
        let height = draw(&svg)
        return svg.file(width: width, height: height, title: "\(title), \(chart.time)")
    }

    /// A part of a web page, which has the title and the facts as text.
    package var inline: MarkupWriter {
        var svg = SVGWriter()
        let height = draw(&svg)
        return svg.inline(
            isNarrow ? "narrow" : "wide", width: width, height: height, from: Self.top - 16,
            title: "\(chart.title(atMost: 50)), \(chart.time)",
            description: chart.facts.joined(separator: ", ") + "; \(chart.events.count) alert events")
    }

    /// Returns the height of the picture.
    private func draw(_ svg: inout SVGWriter) -> Double {
        drawGaps(&svg)
        drawTimes(&svg)
        if let prices {
            draw(prices, &svg)
            for threshold in thresholds { draw(threshold, prices, &svg) }
            for stretch in chart.stretches { draw(stretch, prices, &svg) }
            // Above the prices, or their line would cross the text.
            for threshold in thresholds { drawLabel(of: threshold, prices, &svg) }
            for events in marks { draw(events, prices, &svg) }
        } else {
            svg.text((left + right) / 2, (Self.top + bottom) / 2, "nothing recorded", "fact middle")
        }
        return drawLegend(&svg) + 18
    }

    private func x(_ moment: Date) -> Double { left + times.share(of: moment) * (right - left) }

    private func y(_ price: Double, _ axis: ChartAxis) -> Double {
        bottom - axis.share(of: price) * (bottom - Self.top)
    }

    private func draw(_ axis: ChartAxis, _ svg: inout SVGWriter) {
        for tick in axis.ticks {
            let y = y(tick.value, axis)
            svg.line(from: (left, y), to: (right, y), "grid")
            svg.text(left - 8, y + 4, tick.label, "label end")
        }
    }

    private func drawTimes(_ svg: inout SVGWriter) {
        for tick in times.ticks {
            let x = x(Date(timeIntervalSince1970: tick.value))
            svg.line(from: (x, bottom), to: (x, bottom + 5), "axis")
            // A label at the very end would exceed the picture.
            let room = Double(tick.label.count) * Self.digit / 2
            svg.text(min(x, width - 4 - room), bottom + 20, tick.label, "label middle")
        }
        svg.line(from: (left, bottom), to: (right, bottom), "axis")
    }

    /// Those within the plot.
    private var thresholds: [Chart.Threshold] {
        chart.thresholds.filter { threshold in
            prices.map { ($0.low...$0.high).contains(threshold.price.double) } ?? false
        }
    }

    private func draw(_ threshold: Chart.Threshold, _ axis: ChartAxis, _ svg: inout SVGWriter) {
        let y = y(threshold.price.double, axis)
        svg.line(from: (left, y), to: (right, y), "threshold", tip: label(of: threshold))
    }

    private func drawLabel(of threshold: Chart.Threshold, _ axis: ChartAxis, _ svg: inout SVGWriter) {
        svg.text(right, y(threshold.price.double, axis) - 5, label(of: threshold), "label end halo")
    }

    private func label(of threshold: Chart.Threshold) -> String {
        SafeText.printable(
            "\(threshold.rule) \(Digits.separated(threshold.price.description))",
            atMost: min(60, Int((right - left) / Self.digit)))
    }

    /// Shaded, so that a gap does not look like a drawing error.
    private func drawGaps(_ svg: inout SVGWriter) {
        for gap in gaps {
            let (from, to) = (x(gap.lowerBound), x(gap.upperBound))
            svg.rectangle(
                (from, Self.top), width: to - from, height: bottom - Self.top, "gap",
                tip: "nothing recorded from \(chart.zone.text(from: gap.lowerBound, to: gap.upperBound))")
        }
    }

    /// Those at least 2 pixels wide; none if there is no price at all.
    private var gaps: [Range<Date>] {
        prices == nil ? [] : chart.gaps.filter { x($0.upperBound) - x($0.lowerBound) >= 2 }
    }

    /// One per pixel.
    private func columns(of stretch: [Candle]) -> [Candle] {
        Chart.columns(of: stretch, on: times, count: Int(right - left)).map(\.prices)
    }

    private func draw(_ stretch: [Candle], _ axis: ChartAxis, _ svg: inout SVGWriter) {
        let columns = columns(of: stretch)
        func points(_ price: (Candle) -> Price) -> [SVGWriter.Point] {
            columns.map { (x($0.start), y(price($0).double, axis)) }
        }
        if columns.contains(where: { $0.low < $0.high }) {
            svg.path(through: points(\.high) + points(\.low).reversed(), isClosed: true, "range")
        }
        let line = points(\.close)
        if line.count == 1 {
            svg.circle(line[0], radius: 2.5, "dot")
        } else {
            svg.path(through: line, "price")
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
            let y = min(y + 6, bottom - 12)
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

    /// Returns where its last line is, or the labels above where there is none.
    private func drawLegend(_ svg: inout SVGWriter) -> Double {
        var (x, y) = (left, bottom + 46)
        func add(_ text: String, _ draw: (inout SVGWriter) -> Void) {
            let length = 18 + Double(text.count) * Self.digit
            if x > left, x + length > width { (x, y) = (left, y + 20) }
            draw(&svg)
            svg.text(x + 18, y + 4, text, "label")
            x += length + 24
        }
        func square(_ style: String, _ svg: inout SVGWriter) {
            svg.rectangle((x, y - 5), width: 12, height: 10, style)
        }
        if chart.stretches.contains(where: { columns(of: $0).contains { $0.low < $0.high } }) {
            add("high to low") { square("range", &$0) }
        }
        if !gaps.isEmpty { add("nothing recorded") { square("gap", &$0) } }
        if !thresholds.isEmpty {
            add("threshold of a rule") { $0.line(from: (x, y), to: (x + 14, y), "threshold") }
        }
        if chart.events.contains(where: { $0.kind == .firing }) {
            add("alert fired") {
                $0.polygon(through: [(x + 6, y - 6), (x, y + 5), (x + 12, y + 5)], "firing")
            }
        }
        if chart.events.contains(where: { $0.kind == .resolved }) {
            add("resolved") { $0.circle((x + 6, y), radius: 4.5, "resolved") }
        }
        return x > left ? y : bottom + 20
    }
}
