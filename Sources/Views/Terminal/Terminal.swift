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
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
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
