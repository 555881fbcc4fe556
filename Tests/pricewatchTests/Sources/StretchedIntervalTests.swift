import Engine
import Foundation
import History
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// A quota that makes a feed be asked every 18 minutes instead of every 5, which is no outage.
@Suite struct StretchedIntervalTests {
    /// Nine days and a half are left of the month.
    private static let quota = ", quota_month: 775"

    private func scene(_ channel: ScriptedChannel) throws -> DaemonScene {
        let prices = Array(repeating: "100", count: 9) + ["94", "94", "94", "130", "130", "130"]
        let scene = try DaemonScene(
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

    /// The interval in force.
    private func interval(_ scene: DaemonScene) async throws -> Duration {
        try #require(await scene.daemon?.engine.status(at: scene.time.moment)).interval
    }

    @Test(
        "time goes on counting, windows are covered, moves are confirmed and no gap is reported",
        arguments: ["", "restart", "reload"])
    func counts(after event: String) async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel)
        try await scene.start()
        await scene.pollWhenDue(7)
        #expect(try await interval(scene) > .minutes(17))
        if event == "restart" {
            await scene.stop()
            try await scene.start()
        } else if event == "reload" {
            try await scene.reload(scene.rules)
        }
        #expect(try await interval(scene) > .minutes(17))
        await scene.pollWhenDue(5)
        let reader = try HistoryReader(at: scene.database)
        #expect(
            try reader.events(since: .distantPast).map { "\($0.rule) \($0.kind.rawValue)" } == [
                "held pending", "held firing", "drop firing",
            ])
        // Between the first and the last of twelve polls.
        let share = try scene.status().summary.coverage.hundredths
        #expect((1300...1400).contains(share))
        await scene.pollWhenDue()
        let market = try #require(try scene.status().markets.first)
        #expect(market.price?.description == "94" && market.reason == .unconfirmed)
        await scene.pollWhenDue()
        let events = try reader.events(since: .distantPast)
        #expect(events.map(\.kind) == [.pending, .firing, .firing, .resolved])
        #expect(events.compactMap(\.lateSeconds).isEmpty)
        #expect(channel.delivered.flatMap(\.events).count == 3)
        #expect(channel.delivered.allSatisfy { $0.note == nil })
        let configuration = try scene.configuration
        let report = try RehearsalReport(
            playing: reader, through: configuration.alertRules, configuration, since: .distantPast)
        #expect(report.rules.flatMap(\.events).map(\.at).sorted() == events.map(\.at).sorted())
        await scene.stop()
    }

    @Test("an outage is reported")
    func outage() async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene(channel)
        try await scene.start()
        await scene.pollWhenDue(4)
        scene.time.step(.hours(1))
        await scene.pollWhenDue()
        let notes = channel.delivered.filter { $0.note != nil }
        #expect(notes.count == 1)
        await scene.stop()
    }

    @Test("beside a feed that is asked each minute, neither the slow one nor its markets grow stale")
    func besideAFastOne() async throws {
        let sources = try SourceScene(feed: "every: 1m", every: .minutes(5), coingecko: Self.quota)
        try await sources.scene.start()
        var states: Set<MarketBoard.Entry.State> = []
        for _ in 0..<60 {
            await sources.scene.pollWhenDue()
            states.insert(try #require(try sources.market("bitcoin")).state)
        }
        #expect((4...5).contains(sources.asked.coingecko))
        #expect(states == [.fresh])
        #expect(try sources.events() == [])
        // Three intervals without an answer are silence.
        sources.scene.simulator.setFaults([.status(500)])
        await sources.scene.pollWhenDue(60)
        #expect(try sources.events().filter { $0.hasPrefix("feed-stale") } == ["feed-stale coingecko firing"])
        await sources.scene.stop()
    }
}
