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
        let configuration = try installation.readForQuestions().configuration
        let rules = configuration.alertRules.filter { rule == nil || $0.name == rule }
        if let rule, rules.isEmpty {
            throw CommandError(unknown: "rule", rule, among: configuration.alertRules.map(\.name))
        }
        let reader = try HistoryReader(at: configuration.history.database)
        var bar = ProgressBar("rehearsing")
        let report = try RehearsalReport(
            playing: reader, through: rules, configuration, since: since.date(now: Date(), in: configuration.zone),
            withBackfilled: withBackfill
        ) { bar.show($0) }
        bar.finish()
        var writer = JSONWriter()
        if json { report.write(&writer) }
        StandardOutput.write(lines: json ? [writer.text] : RehearsalView.lines(report, .output, in: configuration.zone))
    }
}
