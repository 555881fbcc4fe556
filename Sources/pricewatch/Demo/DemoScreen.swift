import Foundation
import Views

/// The demo on a terminal: the status as in `status --watch`, and the recent events below it.
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
            let news = events.newest(min(Self.eventsShown, terminal.height / 4), on: terminal)
            let foot = news.isEmpty ? [] : [""] + news
            let room = max(1, terminal.height - head.count - foot.count)
            screen.draw(head + status.lines(rows: room, on: terminal, now: now) + foot, on: terminal)
        }
    }
}
