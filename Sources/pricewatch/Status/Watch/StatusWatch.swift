import Foundation
import Glibc
import Markets
import Views

/// `status --watch`: redraws in place on a terminal, prints a line per change in a pipe.
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
        let refreshEvents = RefreshEvents(watching: configuration.statusFile, keys: isScreen)
        if isScreen { await draw(refreshEvents) } else { await list(refreshEvents) }
    }

    private func draw(_ refreshEvents: RefreshEvents) async {
        var terminal = terminal
        var status = WatchedStatus(configuration, withTrends: true)
        var screen = LiveScreen()
        func frame() {
            let now = Date()
            _ = status.refresh(now: now)
            screen.draw(status.lines(rows: terminal.height, on: terminal, now: now), on: terminal)
        }
        frame()
        for await wake in refreshEvents.all {
            if case .suspended = wake { screen.pause() }
            terminal.measure()
            frame()
        }
    }

    private func list(_ refreshEvents: RefreshEvents) async {
        var status = WatchedStatus(configuration, withTrends: false)
        var output = StandardOutput()
        var reported: Reported?
        func tell() {
            let now = Date()
            let isNew = status.refresh(now: now)
            let verdict = status.source?.verdict(at: now)
            // Expiry, ageing quotes and a killed daemon do not change the file.
            let next = Reported(exit: verdict?.exit, stale: json ? status.source?.staleMarkets(at: now) : nil)
            guard isNew || next != reported else { return }
            reported = next
            if json {
                if let source = status.source { output.write(source.json(at: now)) }
            } else {
                output.line(
                    "\(now.utcText) \(verdict?.line ?? SafeText.printable(status.complaint?.description ?? ""))")
            }
            output.flush()
        }
        tell()
        for await wake in refreshEvents.all {
            if case .suspended = wake { raise(SIGSTOP) }
            tell()
        }
    }

    /// What may change without a change of the file.
    private struct Reported: Hashable {
        var exit: Int32?
        var stale: Int?
    }
}

extension StatusSource {
    fileprivate func staleMarkets(at now: Date) -> Int {
        (document(at: now).markets ?? []).count { $0.state == "stale" }
    }
}
