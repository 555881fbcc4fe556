import Glibc
import Markets

/// The progress bar of a long command, on standard error if that is a terminal; nothing in a pipe.
struct ProgressBar {
    private let words: String
    private let isShown: Bool
    private var drawn: ContinuousClock.Instant?
    private static let width = 30
    private static let pause = Duration.milliseconds(100)

    init(_ words: String, isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.words = words
        isShown = isTerminal
    }

    /// - Parameter share: 0 to 1.
    mutating func show(_ share: Double) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < Self.pause { return }
        drawn = now
        write("\r" + line(share))
    }

    /// Erases the bar before the output.
    func finish() {
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
