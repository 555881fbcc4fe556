import ArgumentParser
import Foundation
import History
import Markets
import Views

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Health, feeds, newest prices, 24 h summary and alerts; works while the daemon is down.",
        discussion: "Exit codes: 0 ok, 1 degraded, 2 failing or stopped, 3 nothing there to read.")

    @OptionGroup var installation: InstallationOptions
    @Flag(help: "The status file as it is, with `expired` and `exit` added.")
    var json = false
    @Flag(help: "Stays, and shows what changes; Ctrl-C or q ends it. In a pipe, a line a change.")
    var watch = false

    func run() async throws {
        try await CommandError.reporting {
            let configuration = try installation.readForStatus().configuration
            if watch {
                await StatusWatch(configuration, json: json).run()
            } else {
                try show(configuration)
            }
        }
    }

    private func show(_ configuration: Configuration) throws {
        let source = try StatusSource(configuration)
        let now = Date()
        let verdict = source.verdict(at: now)
        var output = StandardOutput()
        if json {
            output.write(source.json(at: now))
        } else {
            let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
            let trends = terminal.isTerminal ? source.trends(configuration, now: now) : nil
            for line in StatusView(source.document(at: now), verdict, trends: trends, terminal, now: now).lines {
                output.line(line)
            }
        }
        output.flush()
        if verdict.exit != 0 { throw ExitCode(verdict.exit) }
    }
}
