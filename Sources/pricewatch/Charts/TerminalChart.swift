import Foundation
import Markets

/// A chart in terminal characters.
struct TerminalChart {
    private let chart: Chart
    private let terminal: Terminal
    private let width: Int
    private let plotRows: Int

    init(_ chart: Chart, on terminal: Terminal) {
        self.chart = chart
        self.terminal = terminal
        width = max(24, terminal.width)
        // About 2:1 on the screen, and no higher than the space beside the texts.
        plotRows = max(5, min(terminal.height - 8, width / 5, 24))
    }

    var lines: [String] {
        guard let high = chart.series.high, let low = chart.series.low else {
            return header + chart.facts
        }
        let prices = PriceAxis(covering: low.double, high.double, ticks: plotRows / 2)
        let left = prices.longestLabel
        let columns = width - left - 3
        // A label has up to eight characters and two of space.
        let times = TimeAxis(from: chart.start, to: chart.end, ticks: columns / 10)
        let plot = plot(prices, times, columns)
        let labels = Dictionary(
            prices.ticks.map { (row(of: $0.price, prices), $0.label) }, uniquingKeysWith: { first, _ in first })
        let colour: Terminal.Colour? = chart.series.change.flatMap {
            $0 > .zero ? .green : $0 < .zero ? .red : nil
        }
        var lines = header
        for (index, row) in plot.enumerated() {
            let label = labels[index] ?? ""
            let margin = String(repeating: " ", count: left - label.count)
            lines.append(
                margin + label + " " + terminal.paint(label.isEmpty ? sign(.wall) : sign(.priceTick), .dim)
                    + terminal.paint(trimmed(row), colour))
        }
        lines += timeAxis(times, columns).map { String(repeating: " ", count: left + 1) + $0 }
        lines += Paragraph.lines(chart.facts, width: width, between: "  ")
        lines += Paragraph.lines(legend, width: width, between: "  ")
        return lines
    }

    private var header: [String] {
        Paragraph.lines([chart.title(atMost: width), chart.time], width: width, between: "  ")
    }

    private func plot(_ prices: PriceAxis, _ times: TimeAxis, _ columns: Int) -> [String] {
        var canvas = DotCanvas(terminal.isUTF8 ? .braille : .ascii, columns: columns, rows: plotRows)
        func y(_ price: Double) -> Int { Int((prices.share(of: price) * Double(canvas.height - 1)).rounded()) }
        for stretch in chart.series.stretches {
            var before: (x: Int, y: Int)?
            for column in ChartColumn.columns(of: stretch, on: times, count: canvas.width) {
                if let before { canvas.line(from: before, to: (column.index, y(column.open))) }
                canvas.line(from: (column.index, y(column.low)), to: (column.index, y(column.high)))
                before = (column.index, y(column.close))
            }
        }
        return canvas.rows
    }

    private func row(of price: Double, _ prices: PriceAxis) -> Int {
        let rows = Double(plotRows)
        return min(plotRows - 1, max(0, Int(rows - prices.share(of: price) * rows)))
    }

    /// The line below the plot with its ticks and alert events, and the times below it.
    private func timeAxis(_ times: TimeAxis, _ columns: Int) -> [String] {
        func column(_ moment: Date) -> Int { min(columns - 1, Int(times.share(of: moment) * Double(columns))) }
        var line = Array(repeating: Table.Cell(sign(.floor), .dim), count: columns)
        var labels = Array(repeating: Character(" "), count: columns + 1)
        var free = 0
        for tick in times.ticks {
            let at = column(tick.at)
            // Centred below its tick; a label without room is omitted together with its tick.
            let start = min(max(0, at + 1 - tick.label.count / 2), columns + 1 - tick.label.count)
            guard start >= free else { continue }
            line[at].text = sign(.timeTick)
            for (offset, character) in tick.label.enumerated() { labels[start + offset] = character }
            free = start + tick.label.count + 2
        }
        // A firing event hides a resolved one at the same place.
        for event in chart.events.sorted(by: { $0.kind == .resolved && $1.kind != .resolved }) {
            let isFiring = event.kind == .firing
            line[column(event.at)] = .init(
                isFiring ? sign(firing: event.direction) : sign(.resolved), isFiring ? .red : .green)
        }
        return [terminal.paint([.init(sign(.corner), .dim)] + line), trimmed(String(labels))]
    }

    private var legend: [String] {
        let firing = chart.events.contains { $0.kind == .firing }
        let resolved = chart.events.contains { $0.kind == .resolved }
        let arrows = sign(firing: .up) + sign(firing: .down)
        return (firing ? ["\(arrows) alert fired"] : []) + (resolved ? ["\(sign(.resolved)) resolved"] : [])
    }

    private func trimmed(_ text: String) -> String {
        guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
        return String(text[...last])
    }

    private enum Sign: Int {
        case wall, priceTick, corner, floor, timeTick, resolved
    }

    private func sign(_ sign: Sign) -> String {
        let signs = terminal.isUTF8 ? ["│", "┤", "└", "─", "┬", "○"] : ["|", "+", "+", "-", "+", "o"]
        return signs[sign.rawValue]
    }

    private func sign(firing direction: PriceDirection?) -> String {
        switch direction {
        case .up: terminal.isUTF8 ? "▲" : "^"
        case .down: terminal.isUTF8 ? "▼" : "v"
        case nil: terminal.isUTF8 ? "●" : "!"
        }
    }
}
