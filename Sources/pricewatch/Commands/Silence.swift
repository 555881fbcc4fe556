import ArgumentParser
import Engine
import Foundation
import History
import Markets
import Views

/// The rules to silence.
struct RuleOptions: ParsableArguments {
    @Argument(help: "The rule's name.")
    var rule: String?
    @Flag(help: "Every rule.")
    var all = false

    /// Throws (65) if a rule is neither configured nor has recorded alerts.
    static func refuseUnknown(_ rule: String?, _ configuration: Configuration, _ reader: HistoryReader) throws {
        guard let rule else { return }
        let configured = configuration.alertRules.map(\.name)
        let recorded = (try? reader.alertRules()) ?? []
        guard !configured.contains(rule), !recorded.contains(rule) else { return }
        let error = CommandError(unknown: "rule", rule, among: configured + recorded)
        guard Duration(unitsText: rule) != nil else { throw error }
        throw CommandError("\(error); for every rule: pricewatch silence --all \(rule)", error.exitCode)
    }
}

struct SilenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "No messages of a rule for a while; its state goes on. Alone, lists.",
        discussion: "Without a duration, an hour. Works beside a running daemon and without one.")

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var meant: RuleOptions
    @Argument(help: "How long, such as 30m or 2d. (default: 1h)")
    var duration: String?
    @Option(help: "On this market alone.")
    var market: String?

    func validate() throws { _ = try arguments() }

    func run() async throws {
        let (rule, length) = try arguments()
        let (configuration, reader) = try installation.openHistory()
        let now = Date()
        guard rule != nil || meant.all else {
            let inForce = try reader.silences().filter { $0.until > now }.map { $0.words(in: configuration.zone) }
            return StandardOutput.write(lines: inForce.isEmpty ? ["nothing is silenced"] : inForce)
        }
        try RuleOptions.refuseUnknown(rule, configuration, reader)
        let silence = Silence(
            id: 0, rule: rule, market: try market.map { try find($0, in: reader, configuration) }, since: now,
            until: now + length)
        try CommandDatabase(at: configuration.history.database).silence(
            rule: rule, market: silence.market, from: now, until: silence.until)
        StandardOutput.write(lines: ["silenced \(silence.words(in: configuration.zone))"])
    }

    /// A watched or recorded market, or a feed's pseudo-market.
    private func find(
        _ text: String, in reader: HistoryReader, _ configuration: Configuration
    ) throws -> MarketID {
        let known = configuration.namedMarkets.map(\.id) + configuration.feeds.map(\.pseudoMarket)
        if let market = known.first(where: { $0.text == text }) { return market }
        return try RecordedMarket.find(text, in: reader, preferring: configuration.currency).0
    }

    /// In `silence --all 2h` the parser takes the duration for the rule.
    private func arguments() throws -> (rule: String?, length: Duration) {
        var (rule, length) = (meant.rule, duration)
        if meant.all {
            guard length == nil else { throw ValidationError("use either a rule's name or --all") }
            (rule, length) = (nil, rule)
        }
        if market != nil, rule == nil, !meant.all {
            throw ValidationError("name the rule that is to be silent on that market, or use --all for every rule")
        }
        return (rule, try length.map { try Duration(argument: $0, examples: "30m, 2h or 1d") } ?? .hours(1))
    }
}

struct UnsilenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsilence", abstract: "Ends the silences of a rule, or all of them.",
        discussion: "The daemon tells of what still fires. Works beside a running daemon and without one.")

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var meant: RuleOptions

    func validate() throws {
        guard meant.all != (meant.rule != nil) else { throw ValidationError("name a rule, or use --all") }
    }

    func run() async throws {
        let (configuration, reader) = try installation.openHistory()
        try RuleOptions.refuseUnknown(meant.rule, configuration, reader)
        let count = try CommandDatabase(at: configuration.history.database).end(rule: meant.rule, at: Date())
        StandardOutput.write(lines: [
            count == 0 ? "nothing was silenced" : "ended \(count) silence\(count == 1 ? "" : "s")"
        ])
    }
}
