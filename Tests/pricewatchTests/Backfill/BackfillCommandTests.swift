import Foundation
import Glibc
import MarketSimulator
import Testing

@Suite struct BackfillCommandTests {
    @Test("shows what it costs, backfills newest first, and a second run asks for nothing")
    func backfills() async throws {
        let scene = try await PastScene(down: .hours(30))
        let installation = scene.installation
        let ending = try await installation.run("backfill", "--since", "3d")
        #expect(ending.exit == 0, "\(ending.errors)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.first == "coingecko: 6 requests, 0 of 900000000 are used this month")
        #expect(lines.dropFirst().first == "3 markets, about 5s")
        let order = lines.dropFirst(2).dropLast().map { $0.split(separator: ":")[0] }
        #expect(order == ["bitcoin", "ethereum", "tether", "bitcoin", "ethereum", "tether"])
        #expect(lines.last?.hasPrefix("healed 3 markets: ") == true)
        #expect(scene.simulator.requestCount == 6)
        for sample in try scene.samples("tether") {
            #expect(sample.price == scene.simulator.price(of: sample.market, at: sample.quotedAt))
        }
        let second = try await installation.run("backfill", "--since", "3d")
        #expect(second.exit == 0)
        #expect(second.output.hasPrefix("nothing to heal since "))
        let named = try await installation.run("backfill", "--since", "4d", "ethereum")
        #expect(named.output.hasPrefix("coingecko: 1 request, 6 of 900000000 are used this month\n"))
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 7)
        #expect(try await installation.run("history", "ethereum", "--since", "3d", "--every", "1h").exit == 0)
    }

    @Test("ended in the middle, it goes on where it stood")
    func resumes() async throws {
        let scene = try await PastScene(faults: [.ok, .hang])
        let command = try scene.installation.start("backfill")
        await scene.simulator.waitUntilSeen(2)
        command.signal(SIGINT)
        #expect(await command.ended().exit == -SIGINT)
        scene.simulator.setFaults([])
        let second = try await scene.installation.run("backfill")
        #expect(second.exit == 0)
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 4, "of three, the one without an answer is asked twice")
    }

    @Test("a daemon beside it goes on, and takes in what was backfilled")
    func besideADaemon() async throws {
        let scene = try await PastScene(markets: "[bitcoin]", backfill: "null", down: nil)
        let installation = scene.installation
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let ending = try await installation.run("backfill", "--since", "25h")
        #expect(ending.exit == 0, "\(ending.errors)")
        try await eventually("recorded changes") {
            let markets = try installation.status()["markets"] as? [[String: Any]]
            return (markets ?? []).allSatisfy { $0["change_24h_basis"] as? String == "recorded" }
        }
        try await eventually("all requests in the status") {
            try scene.requestsThisMonth() == scene.simulator.requestCount
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await scene.simulator.stop()
        let status = try installation.status()
        let stored = (status["history"] as? [String: Any])?["samples"] as? Int64
        #expect(try stored == installation.samples())
        let samples = try scene.samples("bitcoin")
        let hours = Dictionary(grouping: samples) { $0.quotedAt.milliseconds / 3_600_000 }
        #expect(try scene.candles("bitcoin").map(\.samples) == hours.sorted { $0.key < $1.key }.map(\.value.count))
    }

    @Test("half of what is left of the quota is all it takes, and it says so")
    func quota() async throws {
        let scene = try await PastScene(feed: ", plan: pro, key: CG-x, quota_month: 5")
        let first = try await scene.installation.run("backfill")
        #expect(first.exit == 69)
        #expect(first.output.hasPrefix("coingecko: 3 requests, 0 of 5 are used this month; 2 may go into the past\n"))
        #expect(first.errors.contains("half of what was left of the month's quota is used up"))
        #expect(scene.simulator.requestCount == 2)
        #expect(try await scene.installation.run("backfill").exit == 0)
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 3)
    }

    @Test("a wait is obeyed and named, also by the next run, which asks nothing")
    func wait() async throws {
        let scene = try await PastScene(faults: [.ok, .status(429, retryAfter: 3600)])
        for _ in 0..<2 {
            let ending = try await scene.installation.run("backfill")
            #expect(ending.exit == 69)
            #expect(ending.errors.contains("429"), "\(ending.errors)")
        }
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 2)
    }

    @Test("a market that the provider does not know keeps the others from nothing; alone, it is 69")
    func refused() async throws {
        let scene = try await PastScene(markets: "[nocoin, bitcoin]")
        let both = try await scene.installation.run("backfill")
        #expect(both.exit == 0)
        #expect(both.output.contains("nocoin: get "))
        #expect(both.output.contains("healed 1 market: "))
        let alone = try await scene.installation.run("backfill", "nocoin")
        #expect(alone.exit == 69)
        #expect(alone.errors == "backfill: no market got a usable answer\n")
        await scene.simulator.stop()
    }

    @Test("an unknown market is 65, with a guess; nothing recorded is 65; no past to ask is 69; a bad file is 78")
    func complaints() async throws {
        let scene = try await PastScene()
        let misspelt = try await scene.installation.run("backfill", "bitcion")
        #expect(misspelt.exit == 65)
        #expect(misspelt.errors.contains("did you mean bitcoin?"))
        let empty = try Installation(url: scene.simulator.baseURL)
        #expect(try await empty.run("backfill").exit == 65)
        scene.installation.edit {
            $0.replacing("coingecko,", with: "coinpaprika,").replacing(
                ", plan: pro, key: CG-x, quota_month: 900000000", with: "")
        }
        let pastless = try await scene.installation.run("backfill", "bitcoin")
        #expect(pastless.exit == 69)
        #expect(pastless.errors.contains("bitcoin: no feed has past prices of it"))
        scene.installation.edit { $0.replacing("every: 1s", with: "evry: 1s") }
        #expect(try await scene.installation.run("backfill").exit == 78)
        await scene.simulator.stop()
        #expect(scene.simulator.requestCount == 0)
    }
}
