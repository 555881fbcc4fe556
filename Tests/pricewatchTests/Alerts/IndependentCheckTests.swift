import Engine
import Foundation
import Markets
import TestSupport
import Testing

@testable import pricewatch

/// `Tests/Independent/find_firings.py` reads the recorded samples and finds what had to fire.
@Suite struct IndependentCheckTests {
    @Test(
        "a few lines of Python over the recorded samples find the same firings",
        .enabled(if: Python.hasRun("import sqlite3"), "python3 with sqlite3 is not here"))
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
        let (code, output) = try Python.run([
            Python.script("find_firings.py"), scene.database, "101", "3", "900", "3600",
        ])
        #expect(code == 0, "\(output)")
        await scene.stop()
    }
}
