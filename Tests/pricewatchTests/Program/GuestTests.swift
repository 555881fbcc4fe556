import Foundation
import Glibc
import MarketSimulator
import Testing

/// A good guest at the provider: what it asked for is obeyed, also by the next process.
@Suite struct GuestTests {
    @Test("a wait that the provider named outlives the process: no request until it is over")
    func waitsAcrossRestarts() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.status(429, retryAfter: 3600)])
        let installation = try Installation(url: simulator.baseURL)
        for _ in 0..<3 { #expect(try await installation.run("run", "--once").exit == 69) }
        let daemon = try installation.start("run")
        try await eventually("a waiting cycle of this daemon") {
            let status = try installation.status()
            return status["pid"] as? Int == Int(daemon.pid) && status["state"] as? String == "failing"
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        #expect(simulator.requestCount == 1)
        await simulator.stop()
        let feed = try #require((try installation.status()["feeds"] as? [[String: Any]])?.first)
        #expect(feed["state"] as? String == "cooling")
        #expect(feed["requests_month"] as? Int == 1)
    }

    @Test("an answer that has not changed renews the liveness and is not recorded again")
    func unchanged() async throws {
        let simulator = try await CoinGeckoSimulator.start(stepsEvery: .seconds(3600))
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("an unchanged poll") { installation.log.contains { $0.contains(" poll.unchanged ") } }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(simulator.requests.dropFirst().allSatisfy { $0.request.headers["if-none-match"] != nil })
        #expect(try installation.samples() == 3)
        #expect((try installation.status()["last_poll"] as? [String: Any])?["outcome"] as? String == "unchanged")
    }

    @Test("requests are counted across processes, and the interval stretches to make the quota last")
    func countsAndStretches() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, feed: ", quota_month: 500")
        for _ in 0..<3 { #expect(try await installation.run("run", "--once").exit == 0) }
        await simulator.stop()
        let status = try installation.status()
        let feed = try #require((status["feeds"] as? [[String: Any]])?.first)
        #expect(feed["requests_month"] as? Int == 3)
        #expect(feed["quota_month"] as? Int == 500)
        #expect(try #require(status["interval_s"] as? Double) > 1)
        #expect((status["reasons"] as? [[String: Any]])?.first?["code"] as? String == "quota")
    }

    @Test("a request that failed and was repeated is logged before the line of its poll")
    func retries() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.status(503), .ok])
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let retry = installation.log.firstIndex { $0.contains(" poll.retry feed=coingecko attempt=1 delay=") }
        let poll = installation.log.firstIndex { $0.contains(" poll.ok feed=coingecko ") }
        #expect(try #require(retry) < #require(poll))
        #expect((try installation.status()["last_poll"] as? [String: Any])?["attempts"] as? Int == 2)
    }
}
