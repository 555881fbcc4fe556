import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

/// `Tests/Independent/find_firings.py` reads the recorded samples and finds what had to fire.
@Suite struct IndependentCheckTests {
    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Independent/find_firings.py").standardizedFileURL.path
    private static let python = "/usr/bin/env"

    @Test(
        "a few lines of Python over the recorded samples find the same firings",
        .enabled(if: IndependentCheckTests.hasPython, "python3 with sqlite3 is not here"))
    func sameFirings() async throws {
        let ids = ["bitcoin", "ethereum", "solana"]
        var state: UInt64 = 11
        var scripts: [MarketID: [Price]] = [:]
        for id in ids {
            var level = 100.0
            scripts[try MarketID(id)] = (0..<300).compactMap { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                level *= 1 + (Double((state >> 33) % 2001) - 1000) / 50_000
                return Price(parsing: String(format: "%.4f", level))
            }
        }
        let scene = try DaemonScene(
            """
            watch: {markets: [\(ids.joined(separator: ", "))]}
            builtin_alerts: false
            alerts:
              - {name: above, markets: all, above: 101}
              - {name: rises, markets: all, rises: 3%, within: 15m}
              - {name: new_high, markets: all, new_high: 1h}
            """, script: scripts)
        // Restarts in between, within the minute between two polls, must not be seen.
        for polls in [1, 99, 50, 100, 50] {
            try await scene.start()
            await scene.poll(polls)
            await scene.stop()
        }
        let (code, output) = try Self.run([Self.script, scene.database, "101", "3", "900", "3600"])
        #expect(code == 0, "\(output)")
        await scene.stop()
    }

    private static let hasPython = (try? run(["-c", "import sqlite3"]).code) == 0

    private static func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
