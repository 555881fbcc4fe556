import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// A quota that makes a feed be asked every 18 minutes instead of every 5, which is no outage.
@Suite struct StretchedIntervalTests {
    /// Nine days and a half are left of the month.
    private static let quota = ", quota_month: 775"

    private func scene(_ channel: ScriptedChannel) async throws -> CycleScene {
        let prices = Array(repeating: "100", count: 9) + ["94", "94", "94", "130", "130", "130"]
        let scene = try await CycleScene(
            """
            watch: {markets: [bitcoin]}
            alerts:
              - {name: held, market: bitcoin, above: 10, for: 40m}
              - {name: drop, market: bitcoin, falls: 5%, within: 2h}
            notify: {ops: {exec: [/bin/true]}}
            """, script: [try MarketID("bitcoin"): prices.compactMap { Price(parsing: $0) }],
            preferred: "provider: coingecko\(Self.quota)",
            every: .minutes(5))
        scene.channels = { _ in channel }
        return scene
    }

    @Test(
        "time goes on counting, windows are covered, moves are confirmed and no gap is told",
        arguments: ["", "restart", "reload"])
    func counts(after event: String) async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel)
        try await scene.start()
        await scene.pollWhenDue(7)
        #expect(try #require(await scene.cycle?.interval) > .minutes(17))
        if event == "restart" {
            await scene.stop()
            try await scene.start()
        } else if event == "reload" {
            try await scene.reload(scene.rules)
        }
        #expect(try #require(await scene.cycle?.interval) > .minutes(17))
        await scene.pollWhenDue(5)
        let reader = try HistoryReader(at: scene.database)
        #expect(
            try reader.events(since: .distantPast).map { "\($0.rule) \($0.kind.rawValue)" } == [
                "held pending", "held firing", "drop firing",
            ])
        // Between the first and the last of twelve polls.
        let share = try #require(try StatusDocument(parsing: Data(scene.status.utf8)).summary?.coverage.tenths)
        #expect((130...140).contains(share))
        await scene.pollWhenDue()
        let market = try #require(try StatusDocument(parsing: Data(scene.status.utf8)).markets?.first)
        #expect(market.price == "94" && market.reason == "unconfirmed")
        await scene.pollWhenDue()
        let events = try reader.events(since: .distantPast)
        #expect(events.map(\.kind) == [.pending, .firing, .firing, .resolved])
        #expect(events.compactMap(\.lateSeconds).isEmpty)
        #expect(channel.delivered.flatMap(\.events).count == 3)
        #expect(channel.delivered.allSatisfy { if case .events = $0.content { true } else { false } })
        let configuration = try scene.configuration
        let report = try RehearsalReport(
            playing: reader, through: configuration.alertRules, configuration, since: .distantPast)
        #expect(report.rules.flatMap(\.events).map(\.at).sorted() == events.map(\.at).sorted())
        await scene.finish()
    }

    @Test("an outage is told of, with the time it lasted")
    func outage() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try await scene(channel)
        try await scene.start()
        await scene.pollWhenDue(4)
        scene.time.step(.hours(1))
        await scene.pollWhenDue()
        let notes = channel.delivered.filter { if case .note = $0.content { true } else { false } }
        #expect(notes.count == 1)
        await scene.finish()
    }

    @Test("beside a feed that is asked each minute, neither the slow one nor its markets grow stale")
    func besideAFastOne() async throws {
        let lanes = try await LaneScene(feed: "every: 1m", every: .minutes(5), coingecko: Self.quota)
        try await lanes.scene.start()
        var states: Set<String> = []
        for _ in 0..<60 {
            await lanes.scene.pollWhenDue()
            states.insert(try #require(try lanes.market("bitcoin")).state)
        }
        #expect((4...5).contains(lanes.asked.coingecko))
        #expect(states == ["fresh"])
        #expect(try lanes.events() == [])
        // Three intervals without an answer are silence.
        lanes.scene.simulator.setFaults([.status(500)])
        await lanes.scene.pollWhenDue(60)
        #expect(try lanes.events().filter { $0.hasPrefix("feed-stale") } == ["feed-stale coingecko firing"])
        await lanes.finish()
    }
}
