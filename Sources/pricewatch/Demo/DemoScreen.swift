import Foundation

/// The demo on a terminal: the status as `status --watch` shows it, and below it what has just happened.
struct DemoScreen {
    private let greeting: String
    private let configuration: Configuration
    private let events: RecentEvents

    private static let eventsShown = 6

    init(_ greeting: String, _ configuration: Configuration, _ events: RecentEvents) {
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
            let news = events.newest(Self.eventsShown, on: terminal)
            let room = terminal.height - 2 - (news.isEmpty ? 0 : news.count + 1)
            let lines = [greeting, ""] + status.lines(rows: max(1, room), on: terminal, now: now)
            screen.draw(lines + (news.isEmpty ? [] : [""] + news), on: terminal)
        }
    }
}
