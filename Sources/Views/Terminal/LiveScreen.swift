import Glibc

/// A full-screen view, redrawn in place; the earlier content returns when it is left.
///
/// Standard output must be a terminal. Key echo is off while it is shown.
package struct LiveScreen: ~Copyable {
    private var settings: termios?
    private var text = ScrolledText()

    package init() {
        signal(SIGPIPE, SIG_IGN)
        enter()
    }

    deinit { leave() }

    /// Switches to the alternate screen, hides the cursor, and cuts lines at the right edge, as a terminal may draw a
    /// character wider than expected.
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
        if var settings { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    }

    /// Restores the terminal, stops the process (Ctrl-Z), and takes the terminal again when it continues.
    package mutating func pause() {
        leave()
        // Stops this thread itself: it must not draw before the process has stopped.
        raise(SIGSTOP)
        enter()
    }

    package mutating func scroll(_ move: ScrolledText.Move) { text.move(move) }

    /// Draws one frame in one write, each row over the previous one, so that nothing flickers.
    ///
    /// - Parameters:
    ///   - lines: What does not fit is scrolled to.
    ///   - foot: Stays below them.
    ///   - terminal: With its current size.
    package mutating func draw(_ lines: [String], above foot: [String] = [], on terminal: Terminal) {
        let rows = text.frame(lines, above: foot, on: terminal).map { $0 + "\u{1B}[K" }
        Self.write("\u{1B}[?2026h\u{1B}[H" + rows.joined(separator: "\r\n") + "\u{1B}[J\u{1B}[?2026l")
    }

    /// Ignores errors: a reader that has gone ends the view, which then restores the terminal.
    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
