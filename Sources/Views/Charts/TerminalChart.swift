import Engine
import Foundation
import Markets

/// A chart in terminal characters.
package struct TerminalChart {
    private let chart: Chart
    private let terminal: Terminal
    private let width: Int
    private let plotRows: Int

    package init(_ chart: Chart, on terminal: Terminal) {
        self.chart = chart
        self.terminal = terminal
        width = max(40, terminal.width)
        // About 2:1 on the screen, and no higher than the space beside the texts.
        plotRows = max(5, min(terminal.height - 8, width / 5, 24))
    }

    package var lines: [String] { terminal.isUTF8 ? drawing : drawing.map(Self.plain) }

    private var drawing: [String] {
        let header = Paragraph.lines([chart.title(atMost: width), chart.time], width: width, between: "  ")
        guard let range = chart.range else { return header + chart.facts }
        let prices = ChartAxis(prices: range.lowerBound.double, range.upperBound.double, ticks: plotRows / 2)
        let left = prices.ticks.map(\.label.count).max() ?? 0
        let columns = width - left - 3
        // A label has up to eight characters and two of space.
        let times = ChartAxis(from: chart.start, to: chart.end, ticks: columns / 10, in: chart.zone)
        let labels = Dictionary(
            prices.ticks.map { (row(of: $0.value, prices), $0.label) }, uniquingKeysWith: { first, _ in first })
        let colour: Terminal.Colour? = chart.change.flatMap { $0 > .zero ? .green : $0 < .zero ? .red : nil }
        var lines = header
        for (index, row) in plot(prices, times, columns).enumerated() {
            let label = labels[index] ?? ""
            let margin = String(repeating: " ", count: left - label.count)
            let wall = terminal.paint(label.isEmpty ? "│" : "┤", .dim)
            lines.append(margin + label + " " + wall + terminal.paint(trimmed(row), colour))
        }
        lines += timeAxis(times, columns).map { String(repeating: " ", count: left + 1) + $0 }
        lines += Paragraph.lines(chart.facts, width: width, between: "  ")
        let fired = chart.events.contains { $0.kind == .firing } ? ["▲▼ alert fired"] : []
        let resolved = chart.events.contains { $0.kind == .resolved } ? ["○ resolved"] : []
        return lines + Paragraph.lines(fired + resolved, width: width, between: "  ")
    }

    private func plot(_ prices: ChartAxis, _ times: ChartAxis, _ columns: Int) -> [String] {
        var canvas = DotCanvas(columns: columns, rows: plotRows)
        func y(_ price: Price) -> Int { Int((prices.share(of: price.double) * Double(canvas.height - 1)).rounded()) }
        for stretch in chart.stretches {
            var before: (x: Int, y: Int)?
            for (x, column) in Chart.columns(of: stretch, on: times, count: canvas.width) {
                if let before { canvas.line(from: before, to: (x, y(column.open))) }
                canvas.line(from: (x, y(column.low)), to: (x, y(column.high)))
                before = (x, y(column.close))
            }
        }
        return canvas.lines
    }

    private func row(of price: Double, _ prices: ChartAxis) -> Int {
        let rows = Double(plotRows)
        return min(plotRows - 1, max(0, Int(rows - prices.share(of: price) * rows)))
    }

    /// The line below the plot with its ticks and alert events, and the times below it.
    private func timeAxis(_ times: ChartAxis, _ columns: Int) -> [String] {
        func column(_ share: Double) -> Int { min(columns - 1, Int(share * Double(columns))) }
        var line = Array(repeating: Table.Cell("─", .dim), count: columns)
        var labels = Array(repeating: Character(" "), count: columns + 1)
        var free = 0
        for tick in times.ticks {
            let at = column(times.share(of: tick.value))
            // Centred below its tick; a label without room is omitted together with its tick.
            let start = min(max(0, at + 1 - tick.label.count / 2), columns + 1 - tick.label.count)
            guard start >= free else { continue }
            line[at].text = "┬"
            for (offset, character) in tick.label.enumerated() { labels[start + offset] = character }
            free = start + tick.label.count + 2
        }
        // A firing event hides a resolved one at the same place.
        for event in chart.events.sorted(by: { $0.kind == .resolved && $1.kind != .resolved }) {
            line[column(times.share(of: event.at))] = mark(event)
        }
        let floor = line.map { terminal.paint($0.text, $0.colour) }.joined()
        return [terminal.paint("└", .dim) + floor, trimmed(String(labels))]
    }

    private func mark(_ event: AlertEvent) -> Table.Cell {
        switch (event.kind, event.direction) {
        case (.resolved, _): .init("○", .green)
        case (_, .up): .init("▲", .red)
        case (_, .down): .init("▼", .red)
        case (_, nil): .init("●", .red)
        }
    }

    private func trimmed(_ text: String) -> String {
        guard let last = text.lastIndex(where: { $0 != " " }) else { return "" }
        return String(text[...last])
    }

    /// For a terminal without UTF-8.
    private static func plain(_ line: String) -> String {
        line.replacingScalars { sign in
            switch sign {
            case "│": "|"
            case "─": "-"
            case "┤", "└", "┬": "+"
            case "○": "o"
            case "▲": "^"
            case "▼": "v"
            case "●": "!"
            case DotCanvas.braille: DotCanvas.plain(sign)
            default: nil
            }
        }
    }
}

/// Draws dots in braille characters, each of 2 × 4 dots.
private struct DotCanvas {
    /// In dots.
    let width: Int
    let height: Int
    /// The bits of a braille character, by rows.
    private var cells: [[UInt8]]

    init(columns: Int, rows: Int) {
        width = columns * 2
        height = rows * 4
        cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    }

    /// - Parameters:
    ///   - start: From the left and from the bottom.
    ///   - end: From the left and from the bottom.
    mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
        let steps = max(1, abs(end.x - start.x), abs(end.y - start.y))
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            dot(
                start.x + Int((Double(end.x - start.x) * share).rounded()),
                start.y + Int((Double(end.y - start.y) * share).rounded()))
        }
    }

    private mutating func dot(_ x: Int, _ y: Int) {
        let fromTop = height - 1 - y
        cells[fromTop / 4][x / 2] |= Self.bits[fromTop % 4][x % 2]
    }

    /// The dots of a braille character, from its top.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
    static let braille: ClosedRange<Unicode.Scalar> = "\u{2801}"..."\u{28FF}"

    var lines: [String] {
        cells.map { row in
            String(
                String.UnicodeScalarView(
                    row.map { $0 == 0 ? " " : Unicode.Scalar(UInt32(0x2800) + UInt32($0)) ?? " " }))
        }
    }

    /// The character that has dots in the same halves.
    static func plain(_ braille: Unicode.Scalar) -> String {
        let hasUpper = braille.value & 0x1B != 0
        let hasLower = braille.value & 0xE4 != 0
        return hasUpper && hasLower ? ":" : hasUpper ? "'" : "."
    }
}
