import Foundation
import Testing

/// The map of the sources is true.
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
        #expect(Set(table.rows.map { Self.code($0.cells[0]).joined() }) == Set(modules.map { "Sources/\($0)" }))
        for row in table.rows {
            let sources = try Project.sources(Self.code(row.cells[0]).joined())
            let imports = sources.flatMap { source in
                source.text.matches(
                    of: /(?m)^(?:public |internal |private |@preconcurrency )*import (?:\w+ )?([A-Z]\w+)/
                )
                .map { String($0.output.1) }
            }
            #expect(Set(imports).subtracting(Self.common) == Set(Self.code(row.cells[2])), "\(row.place)")
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

    @Test("each folder of the process has its row")
    func folders() throws {
        let table = try #require(text.tables.first { $0.header.first == "folder" })
        let base = Project.root.appendingPathComponent("Sources/pricewatch")
        let folders = try FileManager.default.contentsOfDirectory(atPath: base.path).filter { !$0.hasSuffix(".swift") }
        #expect(Set(table.rows.flatMap { Self.code($0.cells[0]) }) == Set(folders))
        for row in table.rows {
            let folder = Self.code(row.cells[0]).joined()
            for inner in Self.code(row.cells[1]) where inner.first?.isUppercase == true {
                #expect(Project.exists("Sources/pricewatch/\(folder)/\(inner)"), "\(row.place): \(inner)")
            }
        }
    }

    @Test("every path is there")
    func paths() {
        let paths = text.codeSpans.filter { $0.text.contains("/") }
        #expect(paths.count >= 25)
        for path in paths { #expect(Project.exists(path.text), "\(path.place): \(path.text)") }
    }

    private static func code(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
