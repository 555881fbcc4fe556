import Foundation
import Markets
import Synchronization
import Views

/// The demo on a terminal: the status as in `status --watch`, and the recent events below it.
struct DemoScreen {
    let greeting: [String]
    let configuration: Configuration
    let events: RecentEvents

    private static let eventsShown = 6

    /// Returns at the end of the refresh events.
    func run(_ refreshEvents: RefreshEvents) async {
        var terminal = Terminal(environment: ProcessInfo.processInfo.environment)
        var status = WatchedStatus(configuration)
        var screen = LiveScreen()
        for await wake in refreshEvents.all {
            if case .suspended = wake { screen.pause() }
            terminal.measure()
            let now = Date()
            let head = Paragraph.lines(greeting, width: terminal.width, between: " ") + [""]
            let news = events.newest(min(Self.eventsShown, terminal.height / 4), on: terminal, in: configuration.zone)
            let foot = news.isEmpty ? [] : [""] + news
            let room = max(1, terminal.height - head.count - foot.count)
            screen.draw(head + status.lines(rows: room, on: terminal, now: now) + foot, on: terminal)
        }
    }
}

/// The log events that the demo shows: alerts, failures, retries and recovery.
final class RecentEvents: LogOutlet {
    private let lines = Mutex<[LoggedLine]>([])
    private static let kept = 100
    private static let shownKeys: Set = [
        "rule", "market", "price", "condition", "attempt", "delay", "kind", "count", "after_failures",
    ]

    func write(_ line: LoggedLine) {
        guard Self.matters(line) else { return }
        lines.withLock { lines in
            lines.append(line)
            if lines.count > Self.kept { lines.removeFirst() }
        }
    }

    /// The newest last, coloured by severity.
    func newest(_ count: Int, on terminal: Terminal, in zone: Zone) -> [String] {
        lines.withLock { Array($0.suffix(count)) }.map { line in
            // Without the date: it is today's, and a line of the screen is short.
            let fields = line.fields.pairs.filter { Self.shownKeys.contains($0.key) }.map {
                "\($0.key)=\($0.value.word)"
            }
            let text = ([zone.text(line.time, .secondsOfDay), line.event] + fields)
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

    private static func matters(_ line: LoggedLine) -> Bool {
        line.level >= .warning || line.event.hasPrefix("alert.") || line.event == "poll.retry"
            || line.fields.pairs.contains { $0.key == "after_failures" }
    }
}
