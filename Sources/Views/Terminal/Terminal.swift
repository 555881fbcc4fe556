import Foundation
import Glibc
import Markets

/// The properties of the user's terminal.
package struct Terminal: Sendable {
    /// Only on a terminal, and not if NO_COLOR is set.
    var colours = false
    package var isTerminal = false
    /// Whether UTF-8 is displayed; else ASCII is used.
    package var isUTF8 = true
    /// In columns; 80 in a pipe.
    package var width = 80
    package var height = 24

    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    package func paint(_ text: String, _ colour: Colour?) -> String {
        guard colours, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\(Self.plain)"
    }

    /// Ends a colour.
    static let plain = "\u{1B}[0m"
}

extension Terminal {
    /// Standard output's terminal.
    package static var output: Terminal { Terminal(environment: ProcessInfo.processInfo.environment) }

    package init(environment: [String: String]) {
        self.init()
        isTerminal = isatty(STDOUT_FILENO) == 1
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        // As in the C library, the first variable that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
        measure()
    }

    /// Reads the current size of the terminal.
    package mutating func measure() {
        var size = winsize()
        guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return
        }
        width = Int(size.ws_col)
        height = Int(size.ws_row)
    }
}

/// Joins phrases and breaks lines between them.
package enum Paragraph {
    /// As few lines as hold all phrases; a phrase longer than a line has a line to itself.
    package static func lines(_ phrases: [String], width: Int, between separator: String) -> [String] {
        var lines: [String] = []
        for phrase in phrases {
            if let last = lines.last, Table.width(last + separator + phrase) <= width {
                lines[lines.count - 1] = last + separator + phrase
            } else {
                lines.append(phrase)
            }
        }
        return lines
    }
}

extension Paragraph {
    private struct Cell {
        var text: Unicode.Scalar
        /// In columns; 0 for a mark on the letter before it.
        var width: Int
        /// The escape sequence of its colour; empty: none.
        var style: String
    }

    /// A line in rows of at most `width` columns, broken at a blank if there is one in a row's second half. Each row has
    /// its colours. A mark stays with its letter, and a wide character is not split.
    package static func wrapped(_ line: String, width: Int) -> [String] {
        // No character has more columns than bytes.
        guard line.utf8.count > width else { return [line] }
        var rest = cells(of: line)[...]
        guard rest.reduce(0, { $0 + $1.width }) > width else { return [line] }
        var rows: [String] = []
        while !rest.isEmpty {
            var used = 0
            var end = rest.startIndex
            // A row has at least one character, and the marks on its last one.
            while end < rest.endIndex, used + rest[end].width <= width || used == 0 || rest[end].width == 0 {
                used += rest[end].width
                end += 1
            }
            let half = rest.startIndex + (end - rest.startIndex) / 2
            let blank = end < rest.endIndex ? rest[half...end].lastIndex { $0.text == " " } : nil
            rows.append(text(of: rest[..<(blank ?? end)]))
            rest = rest[(blank.map { $0 + 1 } ?? end)...]
        }
        return rows
    }

    private static func cells(of line: String) -> [Cell] {
        var cells: [Cell] = []
        var style = ""
        var escape: String?
        for scalar in line.unicodeScalars {
            if scalar == "\u{1B}" || escape != nil {
                let sequence = (escape ?? "") + String(scalar)
                escape = scalar.properties.isAlphabetic ? nil : sequence
                if escape == nil { style = sequence == Terminal.plain ? "" : sequence }
                continue
            }
            cells.append(Cell(text: scalar, width: Table.width(scalar), style: style))
        }
        return cells
    }

    private static func text(of cells: ArraySlice<Cell>) -> String {
        var text = ""
        var style = ""
        for cell in cells {
            if cell.style != style { text += (style.isEmpty ? "" : Terminal.plain) + cell.style }
            style = cell.style
            text.unicodeScalars.append(cell.text)
        }
        return style.isEmpty ? text : text + Terminal.plain
    }
}

/// The progress bar of a long command, on standard error if that is a terminal; nothing in a pipe.
package struct ProgressBar {
    private let words: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var drawn: ContinuousClock.Instant?
    private static let width = 30
    private static let pause = Duration.milliseconds(100)

    package init(_ words: String) { self.words = words }

    /// - Parameter share: 0 to 1.
    package mutating func show(_ share: Double) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < Self.pause { return }
        drawn = now
        write("\r" + line(share))
    }

    /// Erases the bar before the output.
    package func finish() {
        if drawn != nil { write("\r\u{1B}[K") }
    }

    func line(_ share: Double) -> String {
        let share = max(0, min(1, share))
        let full = Int(share * Double(Self.width))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: Self.width - full)
        let percent = String(Int(share * 100))
        return "\(words) [\(bar)] \(String(repeating: " ", count: 3 - percent.utf8.count))\(percent) %"
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
