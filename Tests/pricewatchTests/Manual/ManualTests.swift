import Foundation
import Testing

@testable import pricewatch

/// Every block of the manual is run, or compared with what it speaks of.
@Suite struct ManualTests {
    @Test("commands say what the manual shows, configurations are accepted, SQL has answers, pictures are current")
    func blocks() async throws {
        let texts = try ManualText.all()
        let machine = try ManualMachine(texts)
        try await machine.start(try #require(texts[0].blocks.first { $0.language == "yaml" }).text)
        try await compare(machine)
        for view in try #require(texts.flatMap(\.tables).first { $0.header.first == "view" }).rows {
            let name = try #require(view.codes(in: 0).first)
            let columns = try await machine.query("SELECT * FROM \(name) LIMIT 0", "-header").first
            #expect(columns == view.codes(in: 1).joined().replacing(" ", with: ","), "\(view.place)")
        }
        var faults: [String] = []
        for block in try (texts + [ManualText(named: "CONTRIBUTING.md")]).flatMap(\.blocks) {
            faults += try await machine.faults(in: block)
        }
        await machine.finish()
        #expect(faults == [])
        let languages = Dictionary(grouping: texts.flatMap(\.blocks), by: \.language).mapValues(\.count)
        #expect(languages["console", default: 0] >= 15 && languages["yaml", default: 0] >= 30)
    }

    /// The pictures of the README: `make pictures` writes them, else they are compared.
    private func compare(_ machine: ManualMachine) async throws {
        let folder = Project.root.appendingPathComponent("docs/pictures")
        let screen = try await machine.run("script -qec 'stty cols 92; pricewatch status' /dev/null").output
        var drawn = ["terminal.svg": TerminalPicture.svg(of: "$ pricewatch status\n" + machine.shown.renamed(screen))]
        drawn["chart.svg"] = try await machine.run("pricewatch chart bitcoin --output c.svg >/dev/null && cat c.svg")
            .output
        for (name, picture) in drawn {
            let file = folder.appendingPathComponent(name)
            if ProcessInfo.processInfo.environment["PRICEWATCH_PICTURES"] != nil {
                try picture.write(to: file, atomically: true, encoding: .utf8)
            }
            let committed = try ManualText(name, String(contentsOf: file, encoding: .utf8)).prose.dropLast()
            // Of the chart the style: where its lines run depends on the hour.
            let length = name == "chart.svg" ? 36 : committed.count
            let style = picture.components(separatedBy: "\n").prefix(length).joined(separator: "\n")
            let fault = machine.shown.fault(committed.prefix(length), against: style)
            #expect(fault == nil, "make pictures: \(fault ?? "")")
            #expect(committed.map(\.text.utf8.count).reduce(0, +) < 100_000)
        }
    }

    @Test("links lead to files and headings that are there, and every chapter is in the README's table")
    func links() throws {
        let manual = try ManualText.all()
        let files = try FileManager.default.contentsOfDirectory(atPath: Project.root.path + "/docs")
        #expect(Set(manual.dropFirst().map(\.name)) == Set(files.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }))
        for text in try manual + ["CONTRIBUTING.md", "CHANGELOG.md"].map({ try ManualText(named: $0) }) {
            for line in text.links where !line.text.hasPrefix("https://") {
                let parts = line.text.components(separatedBy: "#")
                let folder = URL(fileURLWithPath: "/" + text.name).deletingLastPathComponent()
                let file =
                    parts[0] == ""
                    ? text.name : String(folder.appendingPathComponent(parts[0]).standardized.path.dropFirst())
                #expect(Project.exists(file), "\(line.place): \(line.text)")
                guard parts.count > 1 else { continue }
                #expect(try ManualText(named: file).anchors.contains(parts[1]), "\(line.place): \(line.text)")
            }
        }
    }

    @Test("the README is short, and begins with the two commands that do everything")
    func readme() throws {
        let lines = try Project.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 150)
        for command in ["make demo", "make test"] { #expect(lines.prefix(20).contains { $0.hasPrefix(command) }) }
    }
}
