import Foundation
import Glibc

/// The whole terminal, drawn anew in place: what was on it before comes back when it is left.
///
/// Standard output must be a terminal. Keys are not echoed meanwhile.
struct LiveScreen: ~Copyable {
    private var settings: termios?
    private let terminal: Terminal

    init(_ terminal: Terminal) {
        self.terminal = terminal
        enter()
    }

    deinit { leave() }

    /// Takes the screen: another one beside the usual, without a cursor.
    private mutating func enter() {
        var now = termios()
        if isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &now) == 0 {
            settings = now
            now.c_lflag &= ~tcflag_t(ECHO | ICANON)
            tcsetattr(STDIN_FILENO, TCSANOW, &now)
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    private func leave() {
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        guard var settings else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Gives the terminal back while the process is stopped by Ctrl-Z, and takes it again when it goes on.
    mutating func pause() {
        leave()
        // This thread is the one that stops: it must not draw on before the others do.
        raise(SIGSTOP)
        enter()
    }

    /// One write a frame, each line over the one before it, so that nothing flickers.
    ///
    /// - Parameters:
    ///   - lines: What does not fit is cut.
    ///   - terminal: With the size that it has now.
    func draw(_ lines: [String], on terminal: Terminal) {
        var frame = "\u{1B}[?2026h\u{1B}[H"
        for (index, line) in lines.prefix(terminal.height).enumerated() {
            if index > 0 { frame += "\r\n" }
            frame += Self.cut(line, to: terminal.width) + "\u{1B}[K"
        }
        Self.write(frame + "\u{1B}[J\u{1B}[?2026l")
    }

    /// The first columns of a line; colours take none.
    static func cut(_ line: String, to width: Int) -> String {
        var text = ""
        var room = width
        var inColour = false
        for scalar in line.unicodeScalars {
            if scalar == "\u{1B}" { inColour = true }
            if !inColour {
                room -= Table.width(scalar)
                if room < 0 { return text + "\u{1B}[0m" }
            }
            text.unicodeScalars.append(scalar)
            if inColour, scalar == "m" { inColour = false }
        }
        return text
    }

    private static func write(_ text: String) {
        var output = StandardOutput()
        output.write(text)
    }
}
