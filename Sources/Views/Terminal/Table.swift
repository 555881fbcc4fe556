import Foundation
import Markets

/// An aligned table for people, without rules; its text is safe to print.
package struct Table {
    package enum Alignment {
        case left, right
    }

    package struct Cell {
        package var text: String
        package var colour: Terminal.Colour?

        package init(_ text: String, _ colour: Terminal.Colour? = nil) {
            self.text = SafeText.printable(text)
            self.colour = colour
        }
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[Cell]] = []

    package init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    package mutating func add(_ row: [Cell]) { rows.append(row) }

    package mutating func removeRows() { rows = [] }

    /// The width of the longest line.
    package var width: Int { widths.reduce(0, +) + 2 * max(0, columns.count - 1) }

    private var header: [Cell] { columns.map { Cell($0.title, .dim) } }

    private var widths: [Int] {
        columns.indices.map { column in
            rows.reduce(Self.width(columns[column].title)) { max($0, Self.width($1[column].text)) }
        }
    }

    package func lines(on terminal: Terminal) -> [String] {
        let widths = widths
        return ([header] + rows).map { row in
            let cells = columns.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - Self.width(row[column].text))
                let text = terminal.paint(row[column].text, row[column].colour)
                if columns[column].alignment == .right { return padding + text }
                return column == columns.count - 1 ? text : text + padding
            }
            return cells.joined(separator: "  ")
        }
    }

    /// The width in terminal columns: wide characters take two.
    package static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// Combining accents have no width on most terminals.
    static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.properties.isGraphemeExtend || scalar == "\u{200D}" { return 0 }
        return isWide(scalar.value) || scalar.properties.isEmojiPresentation && !isRegional(scalar.value) ? 2 : 1
    }

    /// Two regional indicators form a flag.
    private static func isRegional(_ value: UInt32) -> Bool { (0x1F1E6...0x1F1FF).contains(value) }

    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

extension Price {
    /// A price for tables, with the significant digits and separators: `77,111.39`, `153.30`, `0.0000035097`.
    ///
    /// Rounded to five significant digits or two decimals, whichever is more exact. JSON, exports and the log have the
    /// exact price.
    package var shortText: String {
        let whole = digits + exponent
        let rounded = rounded(toDigits: whole > 6 ? whole : max(5, whole + 2))
        return Digits.separated(Digits.padded((rounded ?? self).description))
    }
}
