import Glibc

/// A full-screen view, redrawn in place; the earlier content returns when it is left.
///
/// Standard output must be a terminal. Key echo is off while it is shown.
package struct LiveScreen: ~Copyable {
    private var settings: termios?

    package init() { enter() }

    deinit { leave() }

    /// Switches to the alternate screen, hides the cursor, and cuts lines at the right edge.
    private mutating func enter() {
        var now = termios()
        if isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &now) == 0 {
            settings = now
            now.c_lflag &= ~tcflag_t(ECHO | ICANON)
            tcsetattr(STDIN_FILENO, TCSANOW, &now)
        }
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    private func leave() {
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        guard var settings else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Restores the terminal, stops the process (Ctrl-Z), and takes the terminal again when it continues.
    package mutating func pause() {
        leave()
        // Stops this thread itself: it must not draw before the process has stopped.
        raise(SIGSTOP)
        enter()
    }

    /// Draws one frame in one write, each line over the previous one, so that nothing flickers.
    ///
    /// - Parameters:
    ///   - lines: Those that do not fit are cut.
    ///   - terminal: With its current size.
    package func draw(_ lines: [String], on terminal: Terminal) {
        var frame = "\u{1B}[?2026h\u{1B}[H"
        for (index, line) in lines.prefix(terminal.height).enumerated() {
            if index > 0 { frame += "\r\n" }
            frame += line + "\u{1B}[K"
        }
        Self.write(frame + "\u{1B}[J\u{1B}[?2026l")
    }

    private static func write(_ text: String) {
        var output = StandardOutput()
        output.write(text)
    }
}
