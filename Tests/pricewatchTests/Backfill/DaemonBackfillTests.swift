import Engine
import Foundation
import Glibc
import MarketSimulator
import Markets
import Testing

/// A daemon that starts again backfills the time in which it did not run.
@Suite struct DaemonBackfillTests {
    @Test("six hours without a daemon are backfilled, exactly, once, and counted")
    func sixHours() async throws {
        let scene = try await PastScene()
        let installation = scene.installation
        let stopped = try #require(try scene.samples("bitcoin").last?.quotedAt)
        let daemon = try installation.start("run")
        try await eventually("history.backfilled") {
            installation.log.contains { $0.contains(" info history.backfilled feed=coingecko markets=3 samples=") }
        }
        #expect(scene.asksForThePast == 3, "one request a market fills all gaps of its last 24 h")
        let first = installation.log.firstIndex { $0.contains("poll.ok") } ?? .max
        #expect(first < (installation.log.firstIndex { $0.contains("history.backfilled") } ?? 0))
        try await eventually("the status knows") { try scene.requestsThisMonth() == scene.simulator.requestCount }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)

        let started = Date() - .minutes(5)
        for market in PastScene.markets {
            let samples = try scene.samples(market)
            let backfilled = samples.filter { $0.fetchedAt.since($0.quotedAt) > .minutes(1) }
            for sample in backfilled {
                #expect(sample.price == scene.simulator.price(of: sample.market, at: sample.quotedAt))
                #expect(sample.feed == "coingecko")
            }
            #expect((70...73).contains(backfilled.count { $0.quotedAt > stopped && $0.quotedAt < started }))
            #expect(samples.map(\.quotedAt) == samples.map(\.quotedAt).sorted())
            #expect(Set(samples.map(\.quotedAt)).count == samples.count)
            let expected = Dictionary(grouping: samples) { $0.quotedAt.milliseconds / 3_600_000 }
                .sorted { $0.key < $1.key }.map(\.value)
            let candles = try scene.candles(market)
            #expect(candles.count >= 24)
            #expect(candles.map(\.samples) == expected.map(\.count))
            #expect(candles.map(\.open) == expected.map { $0[0].price })
            #expect(candles.map(\.close) == expected.compactMap { $0.last?.price })
            #expect(candles.map(\.high) == expected.compactMap { $0.map(\.price).max() })
            #expect(candles.map(\.low) == expected.compactMap { $0.map(\.price).min() })
        }

        // Nothing is left to ask, for a daemon and for a command.
        let again = try installation.start("run")
        try await eventually("polls of the second daemon") {
            installation.log.count { $0.contains("poll.ok") } > first + 4
        }
        again.signal(SIGTERM)
        #expect(await again.ended().exit == 0)
        let command = try await installation.run("backfill")
        #expect(command.exit == 0)
        #expect(command.output.hasPrefix("nothing to heal since "))
        await scene.simulator.stop()
        #expect(scene.asksForThePast == 3)
    }

    @Test("the message after a gap names what is being backfilled")
    func message() async throws {
        let scene = try await PastScene(markets: "[bitcoin, ethereum, tether, no-such-coin]")
        let installation = scene.installation
        let file = installation.folder.path + "/message"
        installation.edit { $0 + "\nnotify: {me: {exec: [/bin/sh, -c, 'cat >\(file).new; mv \(file).new \(file)']}}\n" }
        let daemon = try installation.start("run")
        try await eventually("the message") { FileManager.default.fileExists(atPath: file) }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("Nothing was watched for 6 h"))
        #expect(text.contains("being backfilled now: bitcoin, ethereum, tether"))
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await scene.simulator.stop()
    }

    @Test("backfilled prices count in the 24 h change at once")
    func basis() async throws {
        let scene = try await PastScene(down: nil)
        let installation = scene.installation
        let daemon = try installation.start("run")
        func bases() throws -> [String?] {
            let markets = try installation.status()["markets"] as? [[String: Any]]
            return (markets ?? []).map { $0["change_24h_basis"] as? String }
        }
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        try await eventually("recorded changes") { try bases() == ["recorded", "recorded", "recorded"] }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await scene.simulator.stop()
    }

    @Test("a wait that the provider names holds for the past, too: nothing is asked before its end")
    func wait() async throws {
        let refusal = Fault.status(429, retryAfter: 2)
        let scene = try await PastScene(faults: [.ok, refusal] + Array(repeating: .ok, count: 50))
        let installation = scene.installation
        let daemon = try installation.start("run")
        try await eventually("all is backfilled") { installation.log.contains { $0.contains("history.backfilled") } }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await scene.simulator.stop()
        let refused = try #require(scene.simulator.requests.first { $0.fault == refusal }).at
        // What was on its way already is let be.
        let meanwhile = scene.simulator.requests.filter {
            $0.at > refused + .milliseconds(500) && $0.at < refused + .seconds(2)
        }
        #expect(meanwhile.isEmpty)
    }

    @Test("a new configuration goes on with the backfill, of a new market, too; null ends it")
    func reload() async throws {
        let scene = try await PastScene(markets: "[tether]", backfill: "null", down: nil)
        let installation = scene.installation
        let daemon = try installation.start("run")
        try await eventually("polls") { installation.log.count { $0.contains("poll.ok") } > 1 }
        #expect(scene.asksForThePast == 0)
        installation.edit {
            $0.replacing("backfill: null", with: "backfill: 24h").replacing("tether]", with: "tether, solana]")
        }
        daemon.signal(SIGHUP)
        try await eventually("both markets backfilled") {
            installation.log.contains { $0.contains("history.backfilled feed=coingecko markets=2") }
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await scene.simulator.stop()
    }

    @Test("a single poll backfills nothing")
    func once() async throws {
        let scene = try await PastScene()
        #expect(try await scene.installation.run("run", "--once").exit == 0)
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 1)
    }
}
