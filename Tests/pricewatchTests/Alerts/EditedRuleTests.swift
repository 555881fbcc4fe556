import Foundation
import History
import Markets
import Testing

@testable import pricewatch

/// A rule whose condition is edited while its alert fires or is pending: until the next poll the status shows the alert
/// as it stands, under the condition that it was judged by; that poll ends it and judges the new condition.
@Suite struct EditedRuleTests {
    private static func rules(_ rule: String) -> String {
        """
        watch: {markets: [bitcoin]}
        builtin_alerts: false
        alerts: [{name: level, market: bitcoin, \(rule)}]
        """
    }

    private func scene(_ rule: String, _ prices: String...) async throws -> CycleScene {
        try await CycleScene(
            Self.rules(rule), script: [try MarketID("bitcoin"): prices.compactMap { Price(parsing: $0) }])
    }

    private func edit(_ scene: CycleScene, _ rule: String, restarting: Bool) async throws {
        if restarting {
            await scene.stop()
            try await scene.restart(Self.rules(rule))
            await scene.cycle?.begin()
        } else {
            try await scene.reload(Self.rules(rule))
            await scene.cycle?.showChange()
        }
    }

    /// `firing CONDITION` or `pending CONDITION` of what stands in the status, and of what the history says.
    private func shown(_ scene: CycleScene) throws -> [String] {
        let alerts = try StatusDocument(parsing: Data(scene.status.utf8)).alerts
        let shown =
            (alerts?.firing ?? []).map { "firing \($0.condition)" }
            + (alerts?.pending ?? []).map { "pending \($0.condition)" }
        let recorded = StandingAlerts(try HistoryReader(at: scene.database).standingEvents())
        #expect(
            shown == recorded.firing.map { "firing \($0.condition)" }
                + recorded.pending.map { "pending \($0.condition)" })
        return shown
    }

    private func events(_ scene: CycleScene) throws -> [String] {
        try HistoryReader(at: scene.database).events(since: .distantPast).map {
            "\($0.kind.rawValue) \($0.reason.rawValue) \($0.condition)"
        }
    }

    @Test("firing, and the new condition holds, too", arguments: [false, true])
    func firesAnew(restarting: Bool) async throws {
        let scene = try await scene("above: 100", "110", "111", "112")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105", restarting: restarting)
        #expect(try shown(scene) == ["firing above 100"])
        await scene.poll()
        #expect(
            try events(scene) == [
                "firing first_firing above 100", "resolved edited above 100", "firing first_firing above 105",
            ])
        #expect(try shown(scene) == ["firing above 105"])
        await scene.poll()
        #expect(try shown(scene) == ["firing above 105"])
        #expect(try events(scene).count == 3)
        await scene.finish()
    }

    @Test("firing, and the new condition does not hold", arguments: [false, true])
    func ends(restarting: Bool) async throws {
        let scene = try await scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 120", restarting: restarting)
        #expect(try shown(scene) == ["firing above 100"])
        await scene.poll(2)
        #expect(try shown(scene) == [])
        #expect(try events(scene) == ["firing first_firing above 100", "resolved edited above 100"])
        await scene.finish()
    }

    @Test("pending, and the new condition waits, too", arguments: [false, true])
    func waitsAnew(restarting: Bool) async throws {
        let scene = try await scene("above: 100, for: 5m", "110", "111", "112")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105, for: 5m", restarting: restarting)
        #expect(try shown(scene) == ["pending above 100"])
        await scene.poll()
        #expect(try shown(scene) == ["pending above 105"])
        #expect(try events(scene) == ["pending first_met above 100", "pending first_met above 105"])
        await scene.finish()
    }

    @Test("edited twice before the next poll, back to what it was: nothing has happened")
    func editedBack() async throws {
        let scene = try await scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 120", restarting: false)
        try await edit(scene, "above: 100", restarting: false)
        await scene.poll()
        #expect(try shown(scene) == ["firing above 100"])
        #expect(try events(scene) == ["firing first_firing above 100"])
        await scene.finish()
    }

    @Test("a poll that fails ends it, too")
    func failedPoll() async throws {
        let scene = try await scene("above: 100", "110", "111")
        try await scene.start()
        await scene.poll()
        try await edit(scene, "above: 105", restarting: false)
        scene.simulator.setFaults([.status(500)])
        await scene.poll()
        #expect(try shown(scene) == [])
        #expect(try events(scene).last == "resolved edited above 100")
        await scene.finish()
    }
}
