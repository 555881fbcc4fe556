/// The part of a text that a screen shows: long lines are wrapped, and the rest is scrolled to. The last row names the
/// keys.
package struct ScrolledText: Sendable {
    package enum Move: Sendable {
        case up, down, pageUp, pageDown, home, end
    }

    /// The first row shown.
    private var top = 0
    /// Of the last frame: the rows of the text, and how many of them fit.
    private var count = 0
    private var page = 1

    package init() {}

    package mutating func move(_ move: Move) {
        let last = max(0, count - page)
        // One row of the page before stays, to read on from.
        let step = max(1, page - 1)
        let wanted =
            switch move {
            case .up: top - 1
            case .down: top + 1
            case .pageUp: top - step
            case .pageDown: top + step
            case .home: 0
            case .end: last
            }
        top = min(max(0, wanted), last)
    }

    /// As many rows as the terminal has.
    ///
    /// - Parameter foot: Stays in place below the text, in at most half of the rows.
    package mutating func frame(_ lines: [String], above foot: [String] = [], on terminal: Terminal) -> [String] {
        let rows = lines.flatMap { Paragraph.wrapped($0, width: terminal.width) }
        let foot = foot.flatMap { Paragraph.wrapped($0, width: terminal.width) }.prefix(terminal.height / 2)
        let hasKeys = terminal.height > 2
        page = max(1, terminal.height - foot.count - (hasKeys ? 1 : 0))
        count = rows.count
        top = min(top, max(0, count - page))
        let shown = rows[top..<min(top + page, count)]
        let empty = Array(repeating: "", count: page - shown.count)
        return shown + empty + foot + (hasKeys ? [keys(on: terminal)] : [])
    }

    private func keys(on terminal: Terminal) -> String {
        let quit = "q to quit"
        let place = "rows \(top + 1) to \(min(top + page, count)) of \(count)"
        let words =
            count <= page ? [quit] : ["\(quit), arrows and page keys to scroll, \(place)", "\(quit), \(place)", quit]
        return terminal.paint(words.first { Table.width($0) <= terminal.width } ?? "q", .dim)
    }
}

/// Keys as a terminal sends them, which may come in pieces.
package struct Keyboard: Sendable {
    package enum Key: Sendable, Equatable {
        case quit
        case move(ScrolledText.Move)
    }

    /// The sequences of xterm, of the Linux console, and of terminals in application mode.
    private static let keys: [(sequences: [String], key: Key)] = [
        (["q", "Q"], .quit), (["k", "[A", "OA"], .move(.up)), (["j", "[B", "OB"], .move(.down)),
        (["[5~"], .move(.pageUp)), ([" ", "[6~"], .move(.pageDown)),
        (["[H", "OH", "[1~", "[7~"], .move(.home)), (["[F", "OF", "[4~", "[8~"], .move(.end)),
    ]
    private static let escape = UInt8(ascii: "\u{1B}")
    private static let known = keys.flatMap { entry in
        entry.sequences.map { (bytes: ($0.count > 1 ? [escape] : []) + Array($0.utf8), key: entry.key) }
    }

    /// The beginning of a sequence.
    private var pending: [UInt8] = []

    package init() {}

    /// The keys that these bytes complete; others are ignored.
    package mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while !pending.isEmpty {
            if let found = Self.known.first(where: { pending.starts(with: $0.bytes) }) {
                keys.append(found.key)
                pending.removeFirst(found.bytes.count)
            } else if Self.known.contains(where: { $0.bytes.starts(with: pending) }) {
                break
            } else {
                pending.removeFirst()
            }
        }
        return keys
    }
}
