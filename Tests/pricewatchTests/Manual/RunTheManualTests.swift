import Foundation
import Testing

@testable import pricewatch

/// Every block of README and CONTRIBUTING is run, or compared with what it speaks of.
@Suite struct RunTheManualTests {
    private static let files = ["README.md", "CONTRIBUTING.md"]

    @Test("commands say what the manual shows, and its SQL has answers")
    func consoleAndSQL() async throws {
        let texts = try Self.files.map { try ManualText(named: $0) }
        let blocks = texts.flatMap(\.blocks)
        let yaml = try #require(blocks.first { $0.language == "yaml" })
        let machine = try await ManualMachine(yaml.text)
        var faults: [ManualFault] = []
        var steps = 0
        for block in blocks where !block.words.contains("demo") {
            do {
                switch block.language {
                case "console":
                    let console = try ConsoleBlock(block)
                    steps += console.steps.count
                    faults += try await machine.faults(in: console)
                case "sql": faults += try await ManualSQL.faults(in: block, database: machine.database)
                default: break
                }
            } catch let fault as ManualFault {
                faults.append(fault)
            }
        }
        await machine.finish()
        #expect(faults == [])
        #expect(steps >= 10)
    }

    @Test("the demo shows what the first screen promises")
    func demo() async throws {
        let block = try #require(try ManualText(named: "README.md").blocks.first { $0.words.contains("demo") })
        let folder = try TemporaryFolder()
        let ending = try await Program.run(
            "demo", "--for", "9s", environment: ["TMPDIR": folder.path, "LANG": "C.UTF-8"])
        let console = try ConsoleBlock(block)
        let step = try #require(console.steps.first)
        #expect(step.command == "make demo")
        let shown = ShownOutput(names: [(folder.path, "/tmp")])
        #expect(shown.fault(step.output, at: step.place, against: ending.output) == nil)
    }

    @Test("commands that no test can run exist, with every option and path")
    func shell() async throws {
        let world = try ShellLine.World()
        var faults: [ManualFault] = []
        for block in try Self.files.flatMap({ try ManualText(named: $0).blocks }) where block.language == "sh" {
            for command in block.lines.flatMap(ShellLine.commands) {
                if let fault = try await command.fault(world, help: { try await CommandHelp.text(of: $0) }) {
                    faults.append(fault)
                }
            }
        }
        #expect(faults == [])
    }

    @Test("every block says what it is")
    func languages() throws {
        let known: Set = ["console", "sh", "yaml", "sql"]
        let strangers = try Self.files.flatMap { try ManualText(named: $0).blocks }.filter {
            !known.contains($0.language)
        }
        #expect(strangers.map(\.place) == [])
    }
}
