import Foundation
import Testing

@testable import pricewatch

/// A manual that is wrong is found out, with its file and line.
@Suite struct HarnessTests {
    private func block(_ text: String) throws -> ManualText.Block {
        try #require(ManualText("BAD.md", text).blocks.first)
    }

    private func fault(_ shown: String, said: String) throws -> String? {
        let step = try #require(try ConsoleBlock(block(shown)).steps.first)
        let output = ShownOutput(names: [("/tmp/x-1", "/home/anna")])
        return output.fault(step.output, at: step.place, against: said)?.description
    }

    @Test("other words, missing lines and further lines of an output")
    func output() throws {
        let shown = "# Title\n\n```console\n$ pricewatch status\nok: 3 markets, polled 2 s ago\nfeed a: serving\n```\n"
        #expect(try fault(shown, said: "ok: 12 markets, polled 59 s ago\nfeed a: serving\n") == nil)
        #expect(
            try fault(shown, said: "failing: 3 markets, polled 2 s ago\nfeed a: serving\n")
                == "BAD.md:5: expected \"ok: N markets, polled N s ago\", found \"failing: N markets, polled N s ago\"")
        #expect(
            try fault(shown, said: "ok: 3 markets, polled 2 s ago\n")
                == "BAD.md:6: expected \"feed a: serving\", found the end")
        #expect(
            try fault(shown, said: "ok: 3 markets, polled 2 s ago\nfeed a: serving\nmore\n")
                == "BAD.md:6: the output goes on with \"more\"")
    }

    @Test("an ellipsis stands for the rest of a line, and for lines, and for nothing else")
    func ellipsis() throws {
        let shown = "```console\n$ x\nfirst …\n…\nlast\n```\n"
        #expect(try fault(shown, said: "first of all\na\nb\nlast\n") == nil)
        #expect(try fault(shown, said: "first\nlast\n") == nil)
        #expect(try fault(shown, said: "first\na\nb\n") == "BAD.md:5: expected \"last\", found \"a\"")
        #expect(
            try fault(shown, said: "other\nlast\n") == "BAD.md:3: expected \"first …\", found \"other\"")
    }

    @Test("what changes from run to run")
    func rules() {
        let output = ShownOutput(names: [("/tmp/x-1", "/home/anna")])
        #expect(
            output.normalised("at 2026-11-21T10:00:00.123Z  +1.25 %  in /tmp/x-1/a")
                == "at NNNTN:N:NZ N % in /home/anna/a")
        #expect(output.normalised("62,000 ┤  ⢀⠔  ⠉⠒") == "N ┤ ~")
        #expect(output.normalised("event_id=0b0381b128f2db65 age 2 min") == "event_id=N age N s")
    }

    @Test("where a block says so, numbers and blanks count")
    func exact() throws {
        let step = try #require(try ConsoleBlock(block("```console exact\n$ x\na  1\n```\n")).steps.first)
        let output = ShownOutput(isExact: true)
        #expect(output.fault(step.output, at: step.place, against: "a  1\n") == nil)
        #expect(output.fault(step.output, at: step.place, against: "a  2\n") != nil)
        #expect(output.fault(step.output, at: step.place, against: "a 1\n") != nil)
    }

    @Test("output that belongs to no command")
    func orphan() throws {
        #expect(throws: ManualFault.self) { try ConsoleBlock(block("```console\nok\n```\n")) }
    }

    @Test("a configuration that check refuses, or warns of")
    func yaml() async throws {
        let bad = YAMLBlock(try block("text\n\n```yaml\npoll: {interval: 60s}\n```\n"))
        let faults = try await bad.faults().map(\.description)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("BAD.md:3: pricewatch.yaml:1:8: poll.interval: unknown key") == true)
        let rule = YAMLBlock(try block("```yaml\n- {name: a, market: bitcoin, over: 5}\n```\n"))
        #expect(try await rule.faults().isEmpty == false)
        let good = YAMLBlock(try block("```yaml\n- {name: a, market: bitcoin, above: 5}\n```\n"))
        #expect(try await good.faults() == [])
    }

    @Test("a statement that the database does not understand, and one without an answer")
    func sql() async throws {
        let sql = try block("```sql\nSELECT * FROM nowhere;\nSELECT 1 WHERE 0;\nSELECT 1;\n```\n")
        let folder = try TemporaryFolder()
        let database = folder.write("", as: "empty.db")
        let faults = try await ManualSQL.faults(in: sql, database: database).map(\.description)
        #expect(
            faults == [
                "BAD.md:1: no such table: nowhere: SELECT * FROM nowhere", "BAD.md:1: no answer: SELECT 1 WHERE 0",
            ])
    }

    @Test(
        "a command line that cannot work",
        arguments: [
            "make dmeo", "pricewatch stauts", "pricewatch status --jsn", "sudo editor /etc/pricewatch.yml",
            "sudo apt install ./pricewatch.deb", "frobnicate", "sudo systemctl relaod pricewatch",
            "sudo systemctl restart prometheus",
        ])
    func shell(line: String) async throws {
        let world = try ShellLine.World()
        let lines = try block("```sh\n\(line)\n```\n").lines
        let command = try #require(lines.flatMap(ShellLine.commands).first)
        let fault = try await command.fault(world) { ["status"].contains($0) ? "USAGE: --json" : nil }
        #expect(fault?.place.description == "BAD.md:2")
    }

    @Test("a recipe that fires too early")
    func recipe() throws {
        let rule = "alerts: [{name: a, market: bitcoin, below: 60001}]"
        let path = PricePath("bitcoin", "61000 60000")
        #expect(try path.words(under: configuration(rule), of: "a") == ["firing first_firing"])
    }
}
