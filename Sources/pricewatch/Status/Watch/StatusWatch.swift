import Foundation
import Glibc
import Markets

/// `status --watch`: in place on a terminal, a line a change in a pipe.
struct StatusWatch {
    private let configuration: Configuration
    private let json: Bool
    private let terminal: Terminal

    init(_ configuration: Configuration, json: Bool) {
        self.configuration = configuration
        self.json = json
        terminal = Terminal(environment: ProcessInfo.processInfo.environment)
    }

    func run() async {
        let isScreen = terminal.isTerminal && !json
        let wakes = Wakes(watching: configuration.statusFile, keys: isScreen)
        if isScreen { await draw(wakes) } else { await list(wakes) }
    }

    private func draw(_ wakes: Wakes) async {
        var terminal = terminal
        var status = WatchedStatus(configuration, withTrends: true)
        var screen = LiveScreen(terminal)
        func frame() {
            let now = Date()
            _ = status.refresh(now: now)
            screen.draw(status.lines(rows: terminal.height, on: terminal, now: now), on: terminal)
        }
        frame()
        for await wake in wakes.all {
            if case .suspended = wake { screen.pause() }
            terminal.measure()
            frame()
        }
    }

    private func list(_ wakes: Wakes) async {
        var status = WatchedStatus(configuration, withTrends: false)
        var output = StandardOutput()
        var told: Told?
        func tell() {
            let now = Date()
            let isNew = status.refresh(now: now)
            let verdict = status.source?.verdict(at: now)
            // A status that expires, quotes that grow old, and a daemon that dies, change nothing in the file.
            let telling = Told(exit: verdict?.exit, stale: json ? status.source?.staleMarkets(at: now) : nil)
            guard isNew || telling != told else { return }
            told = telling
            if json {
                if let source = status.source { output.write(source.json(at: now)) }
            } else {
                output.line(
                    "\(now.utcText) \(verdict?.line ?? SafeText.printable(status.complaint?.description ?? ""))")
            }
            output.flush()
        }
        tell()
        for await wake in wakes.all {
            if case .suspended = wake { raise(SIGSTOP) }
            tell()
        }
    }

    /// What may change while the file stays.
    private struct Told: Hashable {
        var exit: Int32?
        var stale: Int?
    }
}

extension StatusSource {
    fileprivate func staleMarkets(at now: Date) -> Int {
        (document(at: now).markets ?? []).count { $0.state == "stale" }
    }
}
