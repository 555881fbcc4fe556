import Logging
import Synchronization

/// What of the log a viewer of the demo must not miss: alerts, failures, retries and recovery.
final class RecentEvents: LogOutlet {
    private let lines = Mutex<[LogLine]>([])
    private static let kept = 100
    private static let told: Set = [
        "rule", "market", "price", "condition", "attempt", "delay", "kind", "count", "after_failures",
    ]

    func write(_ line: LogLine) {
        guard Self.matters(line) else { return }
        lines.withLock { lines in
            lines.append(line)
            if lines.count > Self.kept { lines.removeFirst() }
        }
    }

    /// The newest last, in the colours of what they mean.
    func newest(_ count: Int, on terminal: Terminal) -> [String] {
        lines.withLock { Array($0.suffix(count)) }.map { line in
            // The day is today's, and a line of the screen is short.
            let fields = line.fields.pairs.filter { Self.told.contains($0.key) }.map { "\($0.key)=\($0.value.word)" }
            let text = ([String(line.time.utcText.dropFirst(11).prefix(8)), line.event] + fields)
                .joined(separator: " ")
            let colour: Terminal.Colour? =
                switch line.event {
                case "alert.resolved": .green
                case _ where line.level >= .warning: .red
                case "alert.pending", "poll.retry": .yellow
                default: nil
                }
            return terminal.paint(text, colour)
        }
    }

    private static func matters(_ line: LogLine) -> Bool {
        line.level >= .warning || line.event.hasPrefix("alert.") || line.event == "poll.retry"
            || line.fields.pairs.contains { $0.key == "after_failures" }
    }
}
