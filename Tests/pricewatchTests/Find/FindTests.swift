import Foundation
import MarketSimulator
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

    @Test("a provider that does not answer: 69")
    func refused() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let url = simulator.baseURL
        await simulator.stop()
        let installation = try Installation(url: url)
        let ending = try await Program.start(
            ["find", "btc", "--config", installation.configuration],
            environment: ["XDG_CACHE_HOME": installation.folder.path + "/cache"]
        ).ended()
        #expect(ending.exit == 69)
    }
}
