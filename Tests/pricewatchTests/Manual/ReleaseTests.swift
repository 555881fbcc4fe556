import Foundation
import Markets
import TestSupport
import Testing

/// What a release is made of: one version everywhere, and dependencies that are listed as they are.
@Suite struct ReleaseTests {
    private static let script = "etc/release/version"
    /// The files that name the version.
    private static let files = ["CHANGELOG.md", "Sources/Markets/Values/Version.swift", "etc/debian/changelog"]

    /// What the script says of the tree that it lies in, on both streams.
    private func version(of root: URL) throws -> (code: Int32, output: String) {
        let process = Process()
        // By the shell: the copy was written here, and a child of another test might still have it open for writing.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [root.appendingPathComponent(Self.script).path]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test("the version of the changelog is the program's")
    func version() throws {
        let (code, output) = try version(of: Project.root)
        #expect(code == 0 && output == Version.current + "\n", "\(output)")
    }

    @Test("a file that names another version is refused", arguments: files)
    func disagreement(file: String) throws {
        let folder = try TemporaryFolder()
        let tree = URL(fileURLWithPath: folder.path)
        for path in Self.files + [Self.script] {
            let copy = tree.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Project.root.appendingPathComponent(path), to: copy)
        }
        #expect(try version(of: tree).code == 0)
        let other = try Project.text(file).replacing(Version.current, with: "77.0.1")
        try other.write(to: tree.appendingPathComponent(file), atomically: true, encoding: .utf8)
        let (code, output) = try version(of: tree)
        #expect(code == 1 && output.contains("77.0.1") && output.contains(Version.current), "\(output)")
    }

    private struct Resolved: Decodable {
        struct Pin: Decodable { var identity: String, state: State }
        struct State: Decodable { var version: String }
        var pins: [Pin]
    }

    @Test("every dependency is listed with its version, and those asked for are asked for exactly")
    func dependencies() throws {
        let resolved = try JSONDecoder().decode(Resolved.self, from: Data(Project.text("Package.resolved").utf8))
        let table = try #require(ManualText(named: "etc/dependencies.md").tables.first)
        let listed = table.rows.map { "\($0.cells[0].prefix { $0 != "]" }.dropFirst()) \($0.cells[1])" }
        #expect(Set(listed) == Set(resolved.pins.map { "\($0.identity) \($0.state.version)" }))
        #expect(listed.count == resolved.pins.count && listed.count > 10)
        for row in table.rows { #expect(row.cells.allSatisfy { !$0.isEmpty } && row.cells.count == 4, "\(row.place)") }
        let requirements = try Project.text("Package.swift").matches(of: /\.package\(url: [^)]*\)/)
        #expect(requirements.count > 5 && requirements.allSatisfy { $0.output.contains("exact: ") })
    }
}
