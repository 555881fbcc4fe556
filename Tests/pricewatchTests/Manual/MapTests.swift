import Foundation
import Testing

/// The map of the sources in CONTRIBUTING.md agrees with the sources.
@Suite struct MapTests {
    private let text: ManualText

    init() throws { text = try ManualText(named: "CONTRIBUTING.md") }

    /// What comes with the language and the system.
    private static let common: Set = ["Foundation", "Synchronization", "Dispatch", "Glibc"]

    @Test("each module imports what its row says, and nothing else")
    func walls() throws {
        let table = try #require(text.tables.first { $0.header.first == "module" })
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appendingPathComponent("Sources").path)
        #expect(Set(table.rows.map { $0.codes(in: 0).joined() }) == Set(modules.map { "Sources/\($0)" }))
        for row in table.rows {
            let sources = try Project.sources(row.codes(in: 0).joined())
            let imports = sources.flatMap { source in
                source.text.matches(
                    of: /(?m)^(?:public |internal |private |@preconcurrency )*import (?:\w+ )?([A-Z]\w+)/
                )
                .map { String($0.output.1) }
            }
            #expect(Set(imports).subtracting(Self.common) == Set(row.codes(in: 2)), "\(row.place)")
        }
    }

    @Test("no row of the database is read by what traps or converts")
    func decoding() throws {
        for source in try Project.sources("Sources/History") {
            let found = source.text.matches(of: /(?:\b\w*[rR]ow|\$0)\??\[|\b[A-Z]\w+\.fetch(?:One|All|Set|Cursor)\b/)
                .map { String($0.output) }.filter { !$0.hasPrefix("Row.fetch") }
            #expect(found.isEmpty, "\(source.path): \(found)")
        }
    }

    @Test("each folder of each module has its row, and each folder in it that is named is there")
    func folders() throws {
        let table = try #require(text.tables.first { $0.header.first == "folder" })
        let base = Project.root.appendingPathComponent("Sources")
        let folders = try FileManager.default.contentsOfDirectory(atPath: base.path).flatMap { module in
            try FileManager.default.contentsOfDirectory(atPath: base.path + "/" + module)
                .filter { !$0.contains(".") }.map { "Sources/\(module)/\($0)" }
        }
        #expect(Set(table.rows.flatMap { $0.codes(in: 0) }) == Set(folders))
        for row in table.rows {
            let folder = row.codes(in: 0).joined()
            for inner in row.codes(in: 1) where inner.first?.isUppercase == true {
                #expect(Project.exists("\(folder)/\(inner)"), "\(row.place): \(inner)")
            }
        }
    }

    @Test("each function on the way of a poll, of a price and of a message is in its file, and all ways are short")
    func ways() throws {
        let ways = text.tables.filter { $0.header.first == "function" }
        #expect(ways.map(\.rows.count).allSatisfy { (5...15).contains($0) } && ways.count == 3)
        for row in ways.flatMap(\.rows) {
            let (function, file) = (row.codes(in: 0).joined(), row.codes(in: 1).joined())
            let source = try Project.text(file)
            #expect(source.contains("func \(function)(") || source.contains("func \(function)<"), "\(row.place)")
        }
    }

    @Test("every path is there")
    func paths() {
        let paths = text.codeSpans.filter { $0.text.contains("/") }
        #expect(paths.count >= 25)
        for path in paths { #expect(Project.exists(path.text), "\(path.place): \(path.text)") }
    }
}
