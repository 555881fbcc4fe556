import Foundation

/// The demo on a terminal: the status as `status --watch` shows it, and below it what has just happened.
struct DemoScreen {
    private let greeting: [String]
    private let configuration: Configuration
    private let events: RecentEvents

    private static let eventsShown = 6

    init(_ greeting: [String], _ configuration: Configuration, _ events: RecentEvents) {
        self.greeting = greeting
        self.configuration = configuration
        self.events = events
    }

    /// Stays until the wakes end.
    func run(_ wakes: Wakes) async {
        var terminal = Terminal(environment: ProcessInfo.processInfo.environment)
        var status = WatchedStatus(configuration, withTrends: true)
        var screen = LiveScreen(terminal)
        for await wake in wakes.all {
            if case .suspended = wake { screen.pause() }
            terminal.measure()
            let now = Date()
            _ = status.refresh(now: now)
            let head = Paragraph.lines(greeting, width: terminal.width, between: " ") + [""]
            let news = events.newest(min(Self.eventsShown, terminal.height / 4), on: terminal)
            let foot = news.isEmpty ? [] : [""] + news
            let room = max(1, terminal.height - head.count - foot.count)
            screen.draw(head + status.lines(rows: room, on: terminal, now: now) + foot, on: terminal)
        }
    }
}
