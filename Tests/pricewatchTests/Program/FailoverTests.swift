import Engine
import Foundation
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@Suite struct FailoverTests {
    /// Two feeds of one shape; the first one's port is closed. No answer is late, however busy the machine: the first of
    /// two feeds has half of what a cycle may last.
    private func installation(_ first: String, _ second: String) throws -> Installation {
        let installation = try Installation(url: first)
        let text = """
            watch: {markets: [bitcoin, tether]}
            feeds: [{provider: coingecko, url: "\(first)"}, {provider: coingecko, name: spare, url: "\(second)"}]
            poll: {every: 1s, timeout: 1h, retry: {attempts: 1}}
            history: {database: \(installation.folder.path)/history.db}
            log: {file: \(installation.folder.path)/pricewatch.log}
            status_file: \(installation.folder.path)/status.json
            """
        _ = installation.folder.write(text, as: "pricewatch.yaml")
        return installation
    }

    @Test("the standby serves within the same poll, is named everywhere, and the state is degraded")
    func standby() async throws {
        let closed = try ClosedPort()
        let spare = try await CoinGeckoSimulator.start()
        let installation = try installation(closed.baseURL, spare.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        withExtendedLifetime(closed) {}
        await spare.stop()
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        #expect(status["state"] as? String == "degraded")
        #expect((status["reasons"] as? [[String: Any]])?.map { $0["code"] as? String } == ["standby"])
        let poll = try #require(status["last_poll"] as? [String: Any])
        #expect(poll["feed"] as? String == "spare" && poll["outcome"] as? String == "ok")
        #expect(poll["attempts"] as? Int == 2)
        let feeds = try #require(status["feeds"] as? [[String: Any]])
        #expect(feeds.map { $0["name"] as? String } == ["coingecko", "spare"])
        #expect(feeds.map { $0["state"] as? String } == ["cooling", "serving"])
        #expect(feeds.first?["next_try_at"] is String)
        let markets = try #require(status["markets"] as? [[String: Any]])
        #expect(markets.allSatisfy { $0["feed"] as? String == "spare" })
        #expect(
            installation.log.contains { $0.contains(" warning feed.switched feed=spare from=coingecko kind=connect ") })
        #expect(try await installation.run("history", "bitcoin", "--format", "csv").output.contains("spare"))
    }
}
