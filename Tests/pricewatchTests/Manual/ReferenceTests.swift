import Feeds
import Foundation
import Testing

@testable import pricewatch

/// What the manual names is there, and what there is it names.
@Suite struct ReferenceTests {
    private let readme: ManualText

    init() throws { readme = try ManualText(named: "README.md") }

    @Test("every command and option of the table exists, and every command and option is in the table")
    func commands() async throws {
        let table = try #require(readme.tables.first { $0.header.first == "command" })
        var shown: [String: Set<String>] = [:]
        for cell in table.rows.compactMap(\.cells.first) {
            for span in cell.split(separator: "`").map({ $0.replacing("pricewatch ", with: "") }) {
                guard let name = span.firstMatch(of: /^[a-z-]+/)?.output else { continue }
                shown[String(name), default: []].formUnion(span.matches(of: /--[a-z-]+/).map { String($0.output) })
            }
        }
        let names = try await CommandHelp.all()
        #expect(Set(shown.keys) == Set(names))
        for name in names {
            let help = try #require(try await CommandHelp.text(of: name))
            #expect(shown[name] == CommandHelp.options(in: help), "\(name)")
        }
    }

    @Test("the exit codes are those of the program")
    func exitCodes() throws {
        let table = try #require(readme.tables.first { $0.header.first == "exit code" })
        let shown = Set(table.rows.compactMap { $0.cells.first.flatMap { Int32($0) } })
        let source = try Project.text("Sources/pricewatch/Output/CommandError.swift")
        let codes = source.matches(of: /ExitCode\((\d+)\)/).compactMap { Int32($0.output.1) }
        #expect(shown == Set(codes + [0]))
    }

    @Test("every message of the troubleshooting table is one that the program has")
    func messages() throws {
        let table = try #require(readme.tables.first { $0.header.first == "you read" })
        // The system's own words, and kinds as the log has them.
        let sources =
            try Project.sources("Sources").map(\.text) + [String(cString: strerror(ECONNRESET)).lowercased()]
            + FeedError.Kind.allCases.map { "kind=\($0.rawValue)" }
        #expect(table.rows.count >= 8)
        for row in table.rows {
            for span in row.cells[0].split(separator: "`").map(String.init) where span.contains(/[a-z]/) {
                // Between the ellipses stands what changes.
                let pieces = span.split(separator: "…").map { $0.trimmingCharacters(in: .whitespaces) }
                    .filter { !$0.isEmpty }
                let isSaid = pieces.allSatisfy { piece in sources.contains { $0.contains(piece) } }
                #expect(isSaid, "\(row.place): no source says \(span)")
            }
        }
    }

    @Test("links lead to files and headings that are there")
    func links() throws {
        for text in [readme, try ManualText(named: "CONTRIBUTING.md"), try ManualText(named: "CHANGELOG.md")] {
            let anchors = Set(text.headings.map(Self.anchor))
            let cells = text.tables.flatMap(\.rows).flatMap { row in row.cells.map { (row.place, $0) } }
            for (place, line) in text.prose.map({ ($0.place, $0.text) }) + cells {
                for link in line.matches(of: /\]\(([^)]+)\)/).map({ String($0.output.1) }) {
                    if link.hasPrefix("https://") { continue }
                    if link.hasPrefix("#") {
                        #expect(anchors.contains(String(link.dropFirst())), "\(place): \(link)")
                    } else {
                        #expect(Project.exists(link), "\(place): \(link)")
                    }
                }
            }
        }
    }

    /// As GitHub makes it of a heading.
    private static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().compactMap {
                $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
            })
    }

    @Test("keys that stand in backticks are keys of the sample")
    func keys() throws {
        let words = Set(try Project.text("etc/pricewatch.yaml").matches(of: /[a-z_0-9]+/).map { String($0.output) })
        let sources = try Project.sources("Sources").map(\.text)
        // One key, perhaps with its section and an example of a value: `poll.every`, `keep_samples: forever`.
        for span in readme.codeSpans {
            guard let found = span.text.wholeMatch(of: /([a-z_]+\.)?([a-z_0-9]+)(: .*)?/) else { continue }
            let (section, key) = (found.output.1?.dropLast(), found.output.2)
            let sections: Set<Substring> = ["watch", "poll", "history", "notify", "log", "digest", "heartbeat"]
            guard found.output.3 != nil || section.map(sections.contains) == true else { continue }
            // The log's events have such names, too.
            if sources.contains(where: { $0.contains("\"\(span.text)\"") }) { continue }
            let isKey = words.contains(String(key)) || words.contains("\(key)_file")
            #expect(isKey, "\(span.place): \(span.text)")
        }
    }

    @Test("every key that the alerts' table explains is one of the sample, and every one there is explained")
    func alertKeys() throws {
        let rows = readme.tables.filter { $0.header.first == "key" }.flatMap(\.rows)
        let shown = Set(rows.flatMap { $0.cells[0].matches(of: /`([a-z_]+):\s/).map { String($0.output.1) } })
        let rule = Set(
            [
                "above", "below", "outside", "rises", "falls", "moves", "within", "new_high", "new_low", "stale", "for",
                "clear", "keep_firing_for", "repeat", "repeat_on_move", "once", "expires", "severity", "notify", "note",
                "enabled",
            ])
        #expect(shown == rule)
        let sample = try Project.text("etc/pricewatch.yaml")
        for key in rule { #expect(sample.contains("\(key):"), "\(key)") }
    }
}
