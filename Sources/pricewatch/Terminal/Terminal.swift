import Glibc

/// The properties of the user's terminal.
struct Terminal: Sendable {
    /// Only on a terminal, and not if NO_COLOR is set.
    var colours = false
    var isTerminal = false
    /// Whether UTF-8 is displayed; else ASCII is used.
    var isUTF8 = true
    /// In columns; 80 in a pipe.
    var width = 80
    var height = 24

    init(colours: Bool = false, isTerminal: Bool = false, isUTF8: Bool = true, width: Int = 80, height: Int = 24) {
        self.colours = colours
        self.isTerminal = isTerminal
        self.isUTF8 = isUTF8
        self.width = width
        self.height = height
    }

    /// Standard output's terminal.
    init(environment: [String: String]) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        // As in the C library, the first variable that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
        measure()
    }

    /// Reads the current size of the terminal.
    mutating func measure() {
        var size = winsize()
        guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return
        }
        width = Int(size.ws_col)
        height = Int(size.ws_row)
    }

    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    func paint(_ text: String, _ colour: Colour?) -> String {
        guard colours, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    /// Joins cells; adjacent cells of one colour share its codes.
    func paint(_ cells: [Table.Cell]) -> String {
        var text = ""
        var run = Table.Cell("")
        for cell in cells {
            if cell.colour == run.colour {
                run.text += cell.text
            } else {
                text += paint(run.text, run.colour)
                run = cell
            }
        }
        return text + paint(run.text, run.colour)
    }
}

/// Joins phrases and breaks lines between them.
enum Paragraph {
    /// As few lines as hold all phrases; a phrase longer than a line has a line to itself.
    static func lines(_ phrases: [String], width: Int, between separator: String) -> [String] {
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
