import Foundation
import GRDB
import MarketSimulator
import Markets
import Testing

@testable import Channels
@testable import History
@testable import pricewatch

/// A machine whose clock is set a year ahead, and a provider whose answers say so.
@Suite struct ClockFaultTests {
    private static let year = Duration.hours(365 * 24)

    /// Polls each hour; the alert changes at every poll.
    private func scene(_ rules: String = "", builtIn: Bool = false, history: String = "") throws -> DaemonScene {
        try DaemonScene(
            """
            watch: {markets: [bitcoin]}
            builtin_alerts: \(builtIn)
            alerts: [{name: high, market: bitcoin, above: 10}]
            \(rules)
            """, script: [Told.id("bitcoin"): ["9.5", "10.5"].map(Told.price)], history: history,
            providerKeepsTime: true, every: .hours(1))
    }

    /// What the history holds, and up to which hour its candles are closed.
    private func contents(_ scene: DaemonScene) throws -> [String: Int64] {
        let reader = try HistoryReader(at: scene.database)
        return try reader.queue.read { db in
            var counts: [String: Int64] = [:]
            for table in ["sample", "candle", "event", "message"] {
                counts[table] = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
            }
            counts["candles_until"] = try Int64.fetchOne(
                db, sql: "SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'candles_until'")
            return counts
        }
    }

    /// The newest time in the database, whatever it is of.
    private func newest(_ scene: DaemonScene) throws -> Date {
        let reader = try HistoryReader(at: scene.database)
        return try reader.queue.read { db in
            let newest = try Int64.fetchOne(
                db,
                sql: """
                    SELECT max(at) FROM (SELECT max(at, fetched_at) AS at FROM poll UNION ALL SELECT at FROM turn
                        UNION ALL SELECT at FROM event UNION ALL SELECT created_at FROM message)
                    """)
            return Date(milliseconds: newest ?? 0)
        }
    }

    private static let short = ", keep_samples: 30d, keep_candles: 60d"

    @Test("it takes nothing from the history and puts nothing into it", arguments: [short, ", keep_candles: 90d"])
    func keeps(history: String) async throws {
        let scene = try scene(history: history)
        try await scene.start()
        await scene.poll(30)
        let before = try contents(scene)
        #expect(before["sample"] == 30 && before["candle"] ?? 0 > 25 && before["event"] ?? 0 > 25)
        scene.time.set(by: Self.year)
        await scene.poll(3)
        #expect(scene.log.contains("this clock is 365d ahead of the provider's; nothing is recorded"))
        #expect(try contents(scene) == before)
        #expect(try newest(scene) <= scene.time.rightTime)
        #expect(try scene.status().reasons.map(\.code).contains("clock"))

        scene.time.set(by: .zero - Self.year)
        await scene.poll(3)
        let after = try contents(scene)
        #expect(after["sample"] == 33)
        #expect(after["candle"] ?? 0 > before["candle"] ?? 0)
        await scene.stop()
    }

    @Test("nothing goes either where the daemon starts under that clock and no provider answers")
    func startsUnanswered() async throws {
        let scene = try scene("digest: {at: \"13:30\"}", history: Self.short)
        try await scene.start()
        await scene.poll(30)
        await scene.stop()
        let before = try contents(scene)
        #expect(scene.log("summary.24h").count == 2)
        scene.time.set(by: Self.year)
        scene.simulator.setFaults([.status(500)])
        try await scene.start()
        await scene.poll(3)
        await scene.stop()
        #expect(scene.log("summary.24h").count == 2)
        let after = try contents(scene)
        for what in ["sample", "candle", "event", "candles_until"] { #expect(after[what] == before[what], "\(what)") }

        scene.time.set(by: .zero - Self.year)
        scene.simulator.setFaults([])
        try await scene.start()
        await scene.poll(24)
        #expect(scene.log("summary.24h").count == 3)
        await scene.stop()
    }

    @Test("the day's summary waits for the right time, and comes once a day as before", arguments: [false, true])
    func digest(restarting: Bool) async throws {
        let channel = ScriptedChannel("ops")
        let scene = try scene("notify: {ops: {exec: [/bin/true]}}\ndigest: {at: \"13:30\", notify: [ops]}")
        scene.channels = { _ in channel }
        func digests() -> Int {
            channel.delivered.count { $0.note?.kind == .digest }
        }
        func restart() async throws {
            guard restarting else { return }
            await scene.stop()
            try await scene.start()
        }
        try await scene.start()
        await scene.poll(3)
        scene.time.set(by: Self.year)
        try await restart()
        await scene.poll(2)
        #expect(digests() == 0)
        scene.time.set(by: .zero - Self.year)
        try await restart()
        await scene.poll()
        #expect(digests() == 1, "that of 13:30 comes late")
        await scene.poll(24)
        #expect(digests() == 2)
        #expect(scene.log("summary.24h").count == 2)
        await scene.stop()
    }

    @Test("a message that waits is not given up for its age", arguments: [false, true], [year, .zero - year])
    func outbox(restarting: Bool, step: Duration) async throws {
        let channel = ScriptedChannel("ops", [.fail(retryAfter: .minutes(150))])
        let scene = try scene("notify: {ops: {exec: [/bin/true], max_age: 12h}}")
        scene.channels = { _ in channel }
        try await scene.start()
        await scene.poll(2)
        #expect(try contents(scene)["message"] == 1)
        scene.time.set(by: step)
        if restarting {
            await scene.stop()
            try await scene.start()
        }
        await scene.pass(.seconds(1))
        await scene.poll()
        #expect(try contents(scene)["message"] == 1)
        scene.time.set(by: .zero - step)
        if restarting {
            await scene.stop()
            try await scene.start()
        }
        await scene.poll(4)
        #expect(channel.delivered.map { $0.events.map(\.kind) }.first == [.firing])
        #expect(scene.log("notify.dropped").isEmpty)
        await scene.stop()
    }

    @Test("a message that waits is given up at its age, however the clock is set meanwhile")
    func outboxAges() async throws {
        let channel = ScriptedChannel("ops", Array(repeating: .fail(retryAfter: .hours(4)), count: 99))
        let scene = try scene("notify: {ops: {exec: [/bin/true], max_age: 12h}}")
        scene.channels = { _ in channel }
        try await scene.start()
        await scene.poll(2)
        scene.time.set(by: Self.year)
        await scene.poll(3)
        scene.time.set(by: .zero - Self.year)
        await scene.poll(5)
        #expect(scene.log("notify.dropped").isEmpty)
        await scene.poll(5)
        #expect(scene.log("notify.dropped").first?.contains(" reason=max_age ") == true)
        await scene.stop()
    }

    @Test("nothing is judged by that clock, also while the provider fails or asks for a wait")
    func alerts() async throws {
        let scene = try scene(builtIn: true)
        try await scene.start()
        await scene.poll(3)
        let before = try contents(scene)
        scene.time.set(by: Self.year)
        await scene.poll()
        scene.simulator.setFaults([.status(500)])
        await scene.poll(2)
        scene.simulator.setFaults([.status(429, retryAfter: 3 * 3600)])
        await scene.poll(3)
        #expect(try contents(scene) == before)
        #expect(try newest(scene) <= scene.time.rightTime)
        await scene.stop()
    }
}
