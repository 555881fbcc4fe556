import Foundation
import MarketSimulator
import TestSupport
import Testing

@Suite struct FindTests {
    @Test("finds by symbol, and asks for the list once a day")
    func finds() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let cache = ["XDG_CACHE_HOME": installation.folder.path + "/cache"]
        func find(_ text: String, _ more: String...) async throws -> Program.Ending {
            try await Program.start(["find", text, "--config", installation.configuration] + more, environment: cache)
                .ended()
        }
        let table = try await find("btc")
        #expect(table.exit == 0, "\(table.errors)")
        #expect(table.output.split(separator: "\n").first?.hasPrefix("id") == true)
        #expect(table.output.contains("bitcoin"))
        #expect(simulator.requestCount == 2)
        let again = try await find("BTC", "--json")
        #expect(simulator.requestCount == 2, "list and ranks are a day old at most")
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any])
        let markets = try #require(root["markets"] as? [[String: Any]])
        #expect(markets.first?["id"] as? String == "bitcoin" && markets.first?["symbol"] as? String == "btc")
        #expect(try await find("no-such-thing").exit == 65)
        await simulator.stop()
        #expect(try await find("ethereum").exit == 0, "the list stays usable without the provider")
    }

    @Test("what find and check ask counts against the month's quota of the feed, as the daemon's polls do")
    func counted() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let cache = ["XDG_CACHE_HOME": installation.folder.path + "/cache"]
        func run(_ arguments: String...) async throws -> Int32 {
            try await Program.start(arguments + ["--config", installation.configuration], environment: cache).ended()
                .exit
        }
        #expect(try await run("find", "btc") == 0, "also where nothing was ever recorded")
        #expect(!FileManager.default.fileExists(atPath: installation.database))
        #expect(try await run("run", "--once") == 0)
        let before = simulator.requestCount - 1
        #expect(try await run("find", "ethereum") == 0)
        #expect(try await run("check", "--online") == 0)
        #expect(try await run("run", "--once") == 0)
        #expect(simulator.requestCount > before + 3)
        let feed = try #require((try installation.status()["feeds"] as? [[String: Any]])?.first)
        #expect(feed["requests_month"] as? Int == simulator.requestCount - before)
        // A cooldown that one process was given holds for the other.
        simulator.setFaults([.status(429, retryAfter: 3600)])
        #expect(try await run("run", "--once") == 69)
        let asked = simulator.requestCount
        #expect(try await run("check", "--online") == 69)
        #expect(try await run("find", "btc") == 0, "the lists are there")
        #expect(simulator.requestCount == asked)
        await simulator.stop()
    }

    @Test("a provider that does not answer: 69")
    func refused() async throws {
        let closed = try ClosedPort()
        let installation = try Installation(url: closed.baseURL)
        let ending = try await Program.start(
            ["find", "btc", "--config", installation.configuration],
            environment: ["XDG_CACHE_HOME": installation.folder.path + "/cache"]
        ).ended()
        withExtendedLifetime(closed) {}
        #expect(ending.exit == 69)
    }
}
