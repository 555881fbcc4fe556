import Engine
import Foundation
import History
import Markets
import Testing

@testable import pricewatch

/// A rule whose condition is edited while its alert fires or is pending. Until the next poll the status shows the alert
/// under the condition by which it was judged; that poll ends it and judges the new condition.
@Suite struct EditedRuleTests {
    private static func rules(_ rule: String) -> String {
        """
        watch: {markets: [bitcoin]}
        builtin_alerts: false
        alerts: [{name: level, market: bitcoin, \(rule)}]
        """
    }

    private func scene(_ rule: String, _ prices: String...) throws -> DaemonScene {
        try DaemonScene(
            Self.rules(rule), script: [try MarketID("bitcoin"): prices.compactMap { Price(parsing: $0) }])
    }

    private func edit(_ scene: DaemonScene, _ rule: String, restarting: Bool) async throws {
        if restarting {
            await scene.stop()
            try await scene.restart(Self.rules(rule))
        } else {
            try await scene.reload(Self.rules(rule))
        }
    }

    /// `firing CONDITION` or `pending CONDITION` of what the status shows, and of what the history says.
    private func shown(_ scene: DaemonScene) async throws -> [String] {
        let report = try #require(await scene.daemon?.engine.status(at: scene.time.moment))
        let shown =
            report.firing.map { "firing \($0.condition)" } + report.pending.map { "pending \($0.condition)" }
        let written = try scene.status()
        // A daemon that has just started writes its first status with its first cycle.
        if written.state != .stopped {
            #expect(
                shown == written.firing.map { "firing \($0.condition)" }
                    + written.pending.map { "pending \($0.condition)" })
        }
        let recorded = ActiveAlerts(try HistoryReader(at: scene.database).activeEvents())
        #expect(
            shown == recorded.firing.map { "firing \($0.condition)" }
                + recorded.pending.map { "pending \($0.condition)" })
        return shown
    }

    private func events(_ scene: DaemonScene) throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.kind.rawValue) \($0.reason.rawValue) \($0.condition)"
        }
    }

    @Test("firing, and the new condition holds, too", arguments: [false, true])
    func firesAnew(restarting: Bool) async throws {
        let scene = try scene("above: 100", "110", "111", "112")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105", restarting: restarting)
        #expect(try await shown(scene) == ["firing above 100"])
        await scene.poll()
        #expect(
            try events(scene) == [
                "firing first_firing above 100", "resolved edited above 100", "firing first_firing above 105",
            ])
        #expect(try await shown(scene) == ["firing above 105"])
        await scene.poll()
        #expect(try await shown(scene) == ["firing above 105"])
        #expect(try events(scene).count == 3)
        await scene.stop()
    }

    @Test("firing, and the new condition does not hold", arguments: [false, true])
    func ends(restarting: Bool) async throws {
        let scene = try scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 120", restarting: restarting)
        #expect(try await shown(scene) == ["firing above 100"])
        await scene.poll(2)
        #expect(try await shown(scene) == [])
        #expect(try events(scene) == ["firing first_firing above 100", "resolved edited above 100"])
        await scene.stop()
    }

    @Test("pending, and the new condition waits, too", arguments: [false, true])
    func waitsAnew(restarting: Bool) async throws {
        let scene = try scene("above: 100, for: 5m", "110", "111", "112")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105, for: 5m", restarting: restarting)
        #expect(try await shown(scene) == ["pending above 100"])
        await scene.poll()
        #expect(try await shown(scene) == ["pending above 105"])
        #expect(try events(scene) == ["pending first_met above 100", "pending first_met above 105"])
        await scene.stop()
    }

    @Test("edited twice before the next poll, back to what it was: nothing has happened")
    func editedBack() async throws {
        let scene = try scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 120", restarting: false)
        try await edit(scene, "above: 100", restarting: false)
        await scene.poll()
        #expect(try await shown(scene) == ["firing above 100"])
        #expect(try events(scene) == ["firing first_firing above 100"])
        await scene.stop()
    }

    @Test("a poll that fails ends it, too")
    func failedPoll() async throws {
        let scene = try scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105", restarting: false)
        scene.simulator.setFaults([.status(500)])
        await scene.poll()
        #expect(try await shown(scene) == [])
        #expect(try events(scene).last == "resolved edited above 100")
        await scene.stop()
    }
}
