import ArgumentParser
import Feeds
import Foundation
import Markets
import Testing

@testable import Engine
@testable import pricewatch

/// What the manual names is there, and what there is it names.
@Suite struct ReferenceTests {
    private let manual: [ManualText]

    init() throws { manual = try ManualText.all() }

    private func rows(_ column: String) throws -> [ManualText.Table.Row] {
        let tables = manual.flatMap(\.tables).filter { $0.header.first == column }
        try #require(!tables.isEmpty, "\(column)")
        return tables.flatMap(\.rows)
    }

    /// The names in the first column of the tables that begin with this heading.
    private func names(_ column: String) throws -> Set<String> { Set(try rows(column).flatMap { $0.codes(in: 0) }) }

    @Test("every command and option of the table exists, and every command and option is in the table")
    func commands() throws {
        var shown: [String: Set<String>] = [:]
        for span in try rows("command").flatMap({ $0.codes(in: 0) }).map({ $0.replacing("pricewatch ", with: "") }) {
            guard let name = span.firstMatch(of: /^[a-z-]+/)?.output else { continue }
            shown[String(name), default: []].formUnion(span.matches(of: /--[a-z-]+/).map { String($0.output) })
        }
        let commands = Pricewatch.configuration.subcommands
        #expect(Set(shown.keys) == Set(commands.map { $0._commandName }))
        for command in commands {
            let inner = command.configuration.subcommands
            let usages = (inner.isEmpty ? [command] : inner).map { part in
                Pricewatch.helpMessage(for: part, columns: 1000).split(separator: "\n").first { $0.hasPrefix("USAGE:") }
            }
            let options = Set(usages.flatMap { ($0 ?? "").matches(of: /--[a-z-]+/).map { String($0.output) } })
            #expect(shown[command._commandName] == options.subtracting(["--config"]), "\(command._commandName)")
        }
    }

    @Test("the exit codes are those of the program")
    func exitCodes() throws {
        let shown = Set(try rows("exit code").compactMap { Int32($0.cells[0]) })
        let source = try Project.text("Sources/pricewatch/Output/CommandError.swift")
        let codes = source.matches(of: /ExitCode\((\d+)\)/).compactMap { Int32($0.output.1) }
        #expect(shown == Set(codes + [0]))
    }

    @Test("states, reasons, providers and variables: each of the program, and no other")
    func words() throws {
        #expect(try names("reason code") == Set(StatusReport.Reason.Code.allCases.map(\.rawValue)))
        #expect(try names("market reason") == Set(UnknownReason.allCases.map(\.rawValue)))
        #expect(try names("export state") == Set(ExportState.allCases.map(\.rawValue)))
        #expect(try names("feed state") == Set(StatusReport.Feed.State.allCases.map(\.rawValue)))
        let states = StatusReport.State.allCases.map(\.rawValue) + MarketBoard.Entry.State.allCases.map(\.rawValue)
        #expect(try names("state") == Set(states))
        #expect(try names("provider") == Set(Providers.all.map { $0.name } + ["json"]))
        let own = try Project.text("Sources/Channels/Exec/ChildEnvironment.swift")
            .matches(of: /"([A-Z_0-9]{4,})":|own\["([A-Z_]+)"\]/).map { $0.output.1 ?? $0.output.2 ?? "" }
        let fields = try Project.text("Sources/Engine/Status/StatusFields.swift")
            .matches(of: /json\.(?:member|text)\("([a-z_0-9]+)"/).map { Substring($0.output.1.uppercased()) }
        #expect(try names("variable").isSubset(of: (own + fields).map { "PRICEWATCH_\($0)" }))
        let reasons = Dictionary(grouping: AlertReason.allCases) { $0.announcement.rawValue }
        for row in try rows("event") where row.cells.count == 2 && !row.cells[0].contains(".") {
            let kind = try #require(row.codes(in: 0).first)
            #expect(Set(row.codes(in: 1)) == Set(reasons[kind]?.map(\.word) ?? []), "\(row.place)")
        }
    }

    @Test("every metric")
    func metrics() throws {
        let source = try Project.text("Sources/pricewatch/Status/MetricsFile.swift")
        let written = source.split(separator: "text.add(").compactMap { call in
            call.prefixMatch(of: /\s*"([a-z0-9_]+)", "/).map {
                ["pricewatch_\($0.output.1)", call.contains("as: \"counter\"") ? "counter" : "gauge"]
            }
        }
        #expect(Set(try rows("metric").map { [$0.codes(in: 0).joined(), $0.cells[1]] }) == Set(written))
        for row in try rows("metric") {
            for label in row.codes(in: 2) { #expect(source.contains("\"\(label)\""), "\(row.place): \(label)") }
        }
    }

    @Test("every event of the log")
    func logEvents() throws {
        var events: Set<String> = []
        for text in try Project.sources("Sources").map(\.text) {
            for line in text.matches(of: /LogLine\(([^{]*?)(?: \{|\)\)|\)\n)/) {
                events.formUnion(line.output.1.matches(of: /"([a-z]+\.[a-z0-9_]+)"/).map { String($0.output.1) })
            }
        }
        let published = try Project.text("Sources/pricewatch/Status/StatusPublisher.swift")
        events.formUnion(published.matches(of: /"([a-z]+\.unwritable)"/).map { String($0.output.1) })
        events.formUnion(PollOutcome.allCases.map { "poll.\($0.rawValue)" })
        events.formUnion(AlertEvent.Kind.allCases.map { "alert.\($0.rawValue)" })
        events.formUnion(LargeMove.Stage.allCases.map { "price.\($0.rawValue)" })
        #expect(try names("event").filter { $0.contains(".") } == events)
    }

    @Test("every message of the troubleshooting table is one that the program has")
    func messages() throws {
        // The system's own words, and kinds as the log has them.
        let sources =
            try Project.sources("Sources").map(\.text) + [String(cString: strerror(ECONNRESET)).lowercased()]
            + FeedError.Kind.allCases.map { "kind=\($0.rawValue)" }
        for row in try rows("message") {
            for span in row.codes(in: 0) {
                // Between the ellipses stands what changes.
                let pieces = span.split(separator: "…").map { $0.trimmingCharacters(in: .whitespaces) }
                let isSaid = pieces.allSatisfy { piece in sources.contains { $0.contains(piece) } }
                #expect(isSaid, "\(row.place): no source says \(span)")
            }
        }
    }

    @Test("keys that stand in backticks are keys of the sample")
    func keys() throws {
        let words = Set(try Project.text("etc/pricewatch.yaml").matches(of: /[a-z_0-9]+/).map { String($0.output) })
        let sections: Set = ["watch", "poll", "history", "notify", "log", "digest", "heartbeat", "web", "export"]
        let events = try names("event")
        // One key, perhaps with its section and an example of a value: `poll.every`, `keep_samples: forever`.
        for span in manual.flatMap(\.codeSpans) where !events.contains(span.text) {
            guard let found = span.text.wholeMatch(of: /([a-z_]+\.)?([a-z_0-9]+)(: .*)?/) else { continue }
            let (section, key) = (found.output.1.map { String($0.dropLast()) }, String(found.output.2))
            guard found.output.3 != nil || section.map(sections.contains) == true else { continue }
            #expect(words.contains(key) || words.contains("\(key)_file"), "\(span.place): \(span.text)")
        }
    }

    @Test("every key of a rule is explained, and every key that is explained is one of the sample")
    func alertKeys() throws {
        let rows = manual.filter { $0.name.hasSuffix("alerts.md") }.flatMap(\.tables)
            .filter { $0.header.first == "key" }.flatMap(\.rows)
        let shown = Set(rows.flatMap { $0.cells[0].matches(of: /`([a-z_]+):\s/).map { String($0.output.1) } })
        let rule = Set(ConfigurationScene.conditions).union([
            "within", "for", "clear", "keep_firing_for", "repeat", "repeat_on_move", "once", "expires", "severity",
            "notify", "note", "enabled",
        ])
        #expect(shown == rule)
        let sample = try Project.text("etc/pricewatch.yaml")
        for key in rule { #expect(sample.contains("\(key):"), "\(key)") }
    }
}
