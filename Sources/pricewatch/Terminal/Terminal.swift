import Glibc

/// What the person at the other end can see.
struct Terminal: Sendable {
    /// Colours carry meaning only here; never in a pipe, never where NO_COLOR asks for none.
    var colours = false
    var isTerminal = false
    /// Whether more than plain ASCII is shown as it is meant.
    var isUTF8 = true
    /// In characters; a pipe is as wide as a terminal used to be.
    var width = 80
    var height = 24

    init(colours: Bool = false, isTerminal: Bool = false, isUTF8: Bool = true, width: Int = 80, height: Int = 24) {
        self.colours = colours
        self.isTerminal = isTerminal
        self.isUTF8 = isUTF8
        self.width = width
        self.height = height
    }

    /// Standard output's.
    init(environment: [String: String]) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        // As the C library has it: the first that is set decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        isUTF8 = ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
        measure()
    }

    /// Takes note of the size that the terminal has now.
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

    /// Cells side by side, those of one colour in one go.
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
