import Foundation
import Testing

/// `Tests/Torture/torn_reports.py` for some seconds; `make torture` runs it longer.
@Suite struct TornReportTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Torture/torn_reports.py").standardizedFileURL.path

    @Test(
        "no status file shows another market's change, however answers and deliveries meet",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not here"))
    func whole() async throws {
        let ending = try await Program.start(["--binary", Program.path, "--minutes", "0.13"], program: Self.script)
            .ended()
        #expect(ending.exit == 0, "\(ending.output)\(ending.errors)")
    }
}
