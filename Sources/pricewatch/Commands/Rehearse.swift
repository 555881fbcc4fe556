import ArgumentParser
import Engine
import Foundation
import History
import Markets
import Views

struct Rehearse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Plays the recorded polls through the rules: when each would have fired, and how many messages.",
        discussion: "The rules are those of --config, which need not be in use. Nothing is sent and nothing is changed."
    )

    @OptionGroup var installation: InstallationOptions
    @Option(help: "From when on: a time, a date, or how long ago. (default: 30d)", transform: TimeArgument.parse)
    var since = TimeArgument.ago(.hours(24 * 30))
    @Option(help: "Only this rule.")
    var rule: String?
    @Flag(help: "Healed prices, too, as if they had been polled at their moments.")
    var withBackfill = false
    @Flag(help: "For programs.")
    var json = false

    func run() async throws {
        try await CommandError.reporting {
            let configuration = try installation.readForQuestions().configuration
            let rules = try chosen(configuration.alertRules)
            let reader = try HistoryReader(at: configuration.history.database)
            var bar = ProgressBar("rehearsing")
            let report = try RehearsalReport(
                playing: reader, through: rules, configuration, since: since.date(now: Date()),
                withBackfilled: withBackfill
            ) { bar.show($0) }
            bar.finish()
            var output = StandardOutput()
            if json {
                var writer = JSONWriter()
                report.write(&writer)
                output.line(writer.text)
            } else {
                let terminal = Terminal(environment: ProcessInfo.processInfo.environment)
                for line in RehearsalView.lines(report, terminal) { output.line(line) }
            }
        }
    }

    private func chosen(_ rules: [AlertRule]) throws -> [AlertRule] {
        guard let rule else { return rules }
        let found = rules.filter { $0.name == rule }
        guard found.isEmpty else { return found }
        let meant = Spelling.closest(to: rule, among: rules.map(\.name)).map { " (did you mean \($0)?)" } ?? ""
        throw CommandError("rehearse the rule \(rule): there is none of this name\(meant)", Exit.noSuchData)
    }
}
