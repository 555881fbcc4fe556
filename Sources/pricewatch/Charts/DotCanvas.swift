/// Draws dots in terminal characters: braille has 2 × 4 dots per character, plain ASCII 1 × 2.
struct DotCanvas {
    enum Style {
        case braille, ascii

        var dotsAcross: Int { self == .braille ? 2 : 1 }
        var dotsDown: Int { self == .braille ? 4 : 2 }
    }

    let style: Style
    /// In dots.
    let width: Int
    let height: Int
    private let columns: Int
    /// One bit per dot; by rows of characters.
    private var cells: [UInt8]

    /// - Parameters:
    ///   - columns: In characters.
    ///   - rows: In characters.
    init(_ style: Style, columns: Int, rows: Int) {
        self.style = style
        self.columns = columns
        width = columns * style.dotsAcross
        height = rows * style.dotsDown
        cells = Array(repeating: 0, count: columns * rows)
    }

    /// - Parameters:
    ///   - x: From the left.
    ///   - y: From the bottom.
    mutating func dot(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let (column, inColumn) = x.quotientAndRemainder(dividingBy: style.dotsAcross)
        let (row, inRow) = (height - 1 - y).quotientAndRemainder(dividingBy: style.dotsDown)
        cells[row * columns + column] |= 1 << UInt8(inRow * style.dotsAcross + inColumn)
    }

    mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y))
        guard steps > 0 else { return dot(start.x, start.y) }
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            dot(
                start.x + Int((Double(end.x - start.x) * share).rounded()),
                start.y + Int((Double(end.y - start.y) * share).rounded()))
        }
    }

    /// The rows of characters, from the top.
    var rows: [String] {
        stride(from: 0, to: cells.count, by: columns).map { start in
            String(cells[start..<(start + columns)].map(character))
        }
    }

    /// Braille numbers the dots down the left column first, and the lowest row last.
    private static let brailleBits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
    private static let ascii: [Character] = [" ", "'", ".", ":"]

    private func character(_ cell: UInt8) -> Character {
        switch style {
        case .ascii: return Self.ascii[Int(cell)]
        case .braille:
            if cell == 0 { return " " }
            let bits = Self.brailleBits.enumerated().reduce(UInt32(0)) { bits, dot in
                cell & (1 << UInt8(dot.offset)) == 0 ? bits : bits | dot.element
            }
            return Unicode.Scalar(0x2800 + bits).map(Character.init) ?? " "
        }
    }
}
