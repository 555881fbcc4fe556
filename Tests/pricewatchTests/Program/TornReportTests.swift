import Foundation
import Testing

/// `Tests/Endurance/torn-reports` for some seconds; by hand, it runs as long as its argument says.
@Suite struct TornReportTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Endurance/torn-reports").standardizedFileURL.path

    @Test(
        "no status file shows another market's change, however answers and deliveries meet",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not here"))
    func whole() async throws {
        let ending = try await Program.start([Program.path, "8"], program: Self.script).ended()
        #expect(ending.exit == 0, "\(ending.output)\(ending.errors)")
    }
}
