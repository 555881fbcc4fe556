import Foundation
import MarketSimulator
import Testing

@Suite struct NothingRecordedTests {
    @Test("a market that was watched and never answered is none that is recorded: 65")
    func neverAnswered() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, markets: "[bitcoin, nosuchcoin]")
        _ = try await installation.run("run", "--once")
        await simulator.stop()
        for command in ["history", "chart"] {
            #expect(try await installation.run(command, "bitcoin").exit == 0)
            let ending = try await installation.run(command, "nosuchcoin")
            #expect(ending.exit == 65)
            #expect(ending.errors.contains("nothing is recorded under this id"))
            #expect(!ending.errors.contains("did you mean nosuchcoin"))
        }
    }

    @Test("a database without a price: every command exits with 65")
    func noPrice() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.status(404)])
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 69)
        await simulator.stop()
        #expect(try await installation.run("history", "bitcoin").exit == 65)
        #expect(try await installation.run("chart", "bitcoin").exit == 65)
        for arguments in [["summary"], ["summary", "--json"], ["summary", "--window", "1h"]] {
            let ending = try await Program.start(arguments + ["--config", installation.configuration]).ended()
            #expect(ending.exit == 65)
            #expect(ending.output.isEmpty && ending.errors.contains("nothing is recorded yet"))
        }
    }

    @Test("every JSON output says which schema it has")
    func schemas() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        _ = try await installation.run("run", "--once")
        await simulator.stop()
        for command in ["status", "summary", "alerts", "check", "rehearse"] {
            let output = try await installation.run(command, "--json").output
            let json = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
            #expect(json?["schema"] as? Int == 1, "\(command)")
        }
    }
}
