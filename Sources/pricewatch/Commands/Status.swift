import ArgumentParser
import Foundation
import Glibc
import History
import Markets
import Views

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Health, feeds, newest prices, 24 h summary and alerts; works while the daemon is down.",
        discussion: """
            Exit codes: 0 ok, 1 degraded, starting or stopping, 2 failing or stopped, 3 nothing there to read. With \
            --exit-on failing, 0 in place of 1.
            """)

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "The status file as it is, with `expired` and `exit` added.")
    var json = false
    @Option(help: "From which state on the exit code is not 0; failing is for what restarts a dead daemon.")
    var exitOn = ExitThreshold.degraded
    @Flag(help: "Stays on the terminal, and shows what changes; arrows and page keys scroll, q or Ctrl-C ends it.")
    var watch = false

    func run() async throws {
        if watch, json || isatty(STDOUT_FILENO) == 0 {
            throw CommandError("--watch is for a terminal; programs read --json, or the status file", Exit.usage)
        }
        let configuration = try installation.readForStatus().configuration
        if watch { await follow(configuration) } else { try show(configuration) }
    }

    private func follow(_ configuration: Configuration) async {
        var terminal = Terminal.output
        var status = WatchedStatus(configuration)
        var screen = LiveScreen()
        for await wake in RefreshEvents(keys: true).all {
            screen.follow(wake)
            terminal.measure()
            screen.draw(status.lines(on: terminal, now: Date()), on: terminal)
        }
    }

    private func show(_ configuration: Configuration) throws {
        let now = Date()
        let terminal = Terminal.output
        let source = try StatusSource(configuration, now: now)
        let verdict = source.verdict(at: now)
        if json {
            var output = StandardOutput()
            output.write(source.json(at: now, exitOn: exitOn))
        } else {
            let trends = terminal.isTerminal ? source.trends(now: now) : nil
            let view = StatusView(
                status: source.report(at: now), verdict: verdict, trends: trends, terminal: terminal,
                zone: configuration.zone, now: now)
            StandardOutput.write(lines: view.lines)
        }
        let exit = exitOn.applied(to: verdict.exit)
        if exit != 0 { throw ExitCode(exit) }
    }
}

extension ExitThreshold: ExpressibleByArgument {}
