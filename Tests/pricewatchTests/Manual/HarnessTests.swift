import Foundation
import Testing

@testable import pricewatch

/// A manual that is wrong is found out, with its file and line.
@Suite struct HarnessTests {
    private func block(_ text: String) throws -> ManualText.Block {
        try #require(ManualText("BAD.md", text).blocks.first)
    }

    private static let status = "$ x\nok: 3 markets, polled 2 s ago\nfeed a: serving"
    private static let ellipsis = "$ x\nfirst …\n…\nlast"

    @Test(
        "other words, missing lines and further lines of an output; an ellipsis is the rest of a line, or lines",
        arguments: [
            (status, "ok: 12 markets, polled 59 s ago\nfeed a: serving\n", nil),
            (
                status, "failing: 3 markets, polled 2 s ago\nfeed a: serving\n",
                "3: expected \"ok: N markets, polled N s ago\", found \"failing: N markets, polled N s ago\""
            ),
            (status, "ok: 3 markets, polled 2 s ago\n", "4: expected \"feed a: serving\", found the end"),
            (status, "ok: 3 markets, polled 2 s ago\nfeed a: serving\nmore\n", "4: the output goes on with \"more\""),
            (ellipsis, "first of all\na\nb\nlast\n", nil), (ellipsis, "first\nlast\n", nil),
            (ellipsis, "first\na\nb\n", "5: expected \"last\", found \"a\""),
            (ellipsis, "other\nlast\n", "3: expected \"first …\", found \"other\""),
            // Exact: numbers and blanks count.
            ("exact\na  1", "a  1\n", nil), ("exact\na  1", "a 1\n", "3: expected \"a  1\", found \"a 1\""),
            ("exact\na  1", "a  2\n", "3: expected \"a  1\", found \"a  2\""),
        ])
    func output(shown: String, said: String, fault: String?) throws {
        let lines = try block("```console\n\(shown)\n```\n").lines.dropFirst()
        let output = ShownOutput(isExact: shown.hasPrefix("exact"))
        #expect(output.fault(lines, against: said) == fault.map { "BAD.md:\($0)" })
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

    @Test(
        "a block that is wrong",
        arguments: [
            ("```console\nok\n```\n", "output without a command"),
            ("```console\n$ echo a\nb\n```\n", "expected \"b\", found \"a\""),
            ("```python\nprint(1)\n```\n", "a block of what language?"),
            ("```yaml\npoll: {interval: 60s}\n```\n", "pricewatch.yaml:1:8: poll.interval: unknown key"),
            ("```yaml\n- {name: a, market: bitcoin, over: 5}\n```\n", "needs a condition"),
            ("```yaml\nnotify: {a: {exec: [false]}}\n```\n", "a: "),
            ("```yaml prometheus\nexpr: pricewatch_nothing\n```\n", "nothing"),
            ("```sql\nSELECT * FROM nowhere;\n```\n", "no such table: nowhere: SELECT * FROM nowhere"),
            ("```sql\nSELECT 1 WHERE 0;\nSELECT 1;\n```\n", "no answer: SELECT 1 WHERE 0"),
            ("```json\n{}\n```\n", "the answer to what?"),
            ("```crontab\n0 3 * * * frobnicate\n```\n", "exit 127"),
            ("```sh\nmake dmeo\n```\n", "no target dmeo"),
            ("```sh\npricewatch stauts\n```\n", "did you mean"),
            ("```sh\nsudo pricewatch status --jsn\n```\n", "--jsn"),
            ("```sh\nsudo editor /etc/pricewatch.yml\n```\n", "/etc/pricewatch.yml"),
            ("```sh\nsudo apt install ./pricewatch.deb\n```\n", "./pricewatch.deb"),
            ("```sh\nfrobnicate\n```\n", "exit 127"),
            ("```sh\nsudo frobnicate\n```\n", "not recognised: frobnicate"),
            ("```sh\nsudo systemctl relaod pricewatch\n```\n", "not recognised"),
            ("```sh\nsudo systemctl restart prometheus\n```\n", "not recognised"),
        ])
    func blocks(text: String, fault: String) async throws {
        let faults = try await ManualMachine().faults(in: block(text))
        #expect(faults.count >= 1 && faults[0].hasPrefix("BAD.md:") && faults[0].contains(fault), "\(faults)")
    }

    @Test("a block that is right")
    func good() async throws {
        for text in ["```yaml\n- {name: a, market: bitcoin, above: 5}\n```\n", "```sh\ntrue # comment\n```\n"] {
            #expect(try await ManualMachine().faults(in: block(text)) == [])
        }
    }

    @Test("a recipe that fires too early")
    func recipe() throws {
        let rule = "alerts: [{name: a, market: bitcoin, below: 60001}]"
        let path = PricePath("bitcoin", "61000 60000")
        #expect(try path.words(under: configuration(rule), of: "a") == ["firing first_firing"])
    }
}
