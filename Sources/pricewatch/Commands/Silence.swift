import ArgumentParser
import Engine
import Foundation
import History
import Markets

/// The rules to silence.
struct RuleOptions: ParsableArguments {
    @Argument(help: "The rule's name.")
    var rule: String?
    @Flag(help: "Every rule.")
    var all = false
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
        try await CommandError.reporting {
            let configuration = try installation.readForRecords().configuration
            let now = Date()
            let reader = try HistoryReader(at: configuration.history.database)
            var output = StandardOutput()
            guard rule != nil || meant.all else {
                for line in SilenceList.lines(try reader.silences(), now: now) { output.line(line) }
                return
            }
            let names = RuleNames(configuration, reader)
            let found = try rule.map(names.find)
            let place = try market.map { try SilencedMarket.find($0, in: reader, configuration) }
            let until = now + length
            let store = try CommandDatabase(at: configuration.history.database)
            try store.silence(rule: found, market: place, from: now, until: until)
            let silence = Silence(id: 0, rule: found, market: place, since: now, until: until)
            output.line("silenced \(SilenceList.words(silence))")
        }
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
        guard let length else { return (rule, .hours(1)) }
        guard let duration = Duration(unitsText: length), duration > .zero else {
            let fault = Duration.isTooLong(unitsText: length) ? "too long" : "no length of time"
            throw ValidationError("'\(SafeText.printable(length))' is \(fault): write 30m, 2h or 1d")
        }
        return (rule, duration)
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
        try await CommandError.reporting {
            let configuration = try installation.readForRecords().configuration
            let now = Date()
            let reader = try HistoryReader(at: configuration.history.database)
            let names = RuleNames(configuration, reader)
            let found = try meant.rule.map(names.find)
            let count = try CommandDatabase(at: configuration.history.database).end(rule: found, at: now)
            var output = StandardOutput()
            output.line(
                count == 0 ? "nothing was silenced" : "ended \(count) silence\(count == 1 ? "" : "s")")
        }
    }
}

/// Silences for people.
enum SilenceList {
    static func lines(_ silences: [Silence], now: Date) -> [String] {
        let inForce = silences.filter { $0.until > now }
        return inForce.isEmpty ? ["nothing is silenced"] : inForce.map(words)
    }

    static func words(_ silence: Silence) -> String {
        let rule = silence.rule.map { SafeText.printable($0) } ?? "all rules"
        let market = silence.market.map { " on \(SafeText.printable($0.text))" } ?? ""
        return "\(rule)\(market) until \(silence.until.utcText)"
    }
}

/// The rules that a name may mean: those configured, and those with recorded alerts.
struct RuleNames {
    private let known: [String]

    init(_ configuration: Configuration, _ reader: HistoryReader) {
        let configured = configuration.alertRules.map(\.name)
        let recorded = (try? reader.alertRules()) ?? []
        known = configured + recorded.filter { !configured.contains($0) }
    }

    func find(_ name: String) throws -> String {
        if known.contains(name) { return name }
        let meant =
            Spelling.closest(to: name, among: known).map { " (did you mean \($0)?)" }
            ?? (known.isEmpty
                ? "" : " (there are \(known.prefix(5).joined(separator: ", "))\(known.count > 5 ? " …" : ""))")
        let hint = Duration(unitsText: name) == nil ? meant : " (for every rule: pricewatch silence --all \(name))"
        throw CommandError("find the rule \(name): there is none of this name\(hint)", Exit.noSuchData)
    }
}

/// The market of a silence: a watched or recorded one, or a feed's pseudo-market.
enum SilencedMarket {
    static func find(_ text: String, in reader: HistoryReader, _ configuration: Configuration) throws -> MarketID {
        if let market = try? MarketID(text),
            configuration.namedMarkets.contains(where: { $0.id == market })
                || configuration.feeds.contains(where: { $0.pseudoMarket == market })
        {
            return market
        }
        return try RecordedMarket.find(text, in: reader, preferring: configuration.currency).0
    }
}
