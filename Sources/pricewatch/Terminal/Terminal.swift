import Glibc

/// What the person at the other end can see.
struct Terminal: Sendable {
    /// Colours carry meaning only here; never in a pipe, never where NO_COLOR asks for none.
    let colours: Bool
    let isTerminal: Bool

    init(environment: [String: String]) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
        case bold = "1"
    }

    func paint(_ text: String, _ colour: Colour?) -> String {
        guard colours, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
