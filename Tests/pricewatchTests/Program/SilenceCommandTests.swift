import Foundation
import MarketSimulator
import Testing

@Suite struct SilenceCommandTests {
    private func installation() async throws -> Installation {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, more: "alerts: [{name: high, market: bitcoin, above: 1}]")
        _ = try await installation.run("run", "--once")
        await simulator.stop()
        return installation
    }

    @Test("a market alone is not enough to mute every rule on it: 64, with silence's own usage")
    func marketAlone() async throws {
        let installation = try await installation()
        for arguments in [
            ["--market", "bitcoin"], ["high", "soon"], ["high", "999999999w"], ["--all", "high", "2h"],
        ] {
            let ending = try await Program.start(
                ["silence"] + arguments + ["--config", installation.configuration]
            ).ended()
            #expect(ending.exit == 64, "\(arguments)")
            #expect(ending.errors.contains("Usage: pricewatch silence"), "\(ending.errors)")
            #expect(ending.errors.contains("is too long") == (arguments.last == "999999999w"))
        }
        #expect(try await installation.run("silence").output == "nothing is silenced\n")
        for arguments in [["--all"], ["high"]] {
            let ending = try await Program.start(
                ["silence"] + arguments + ["--market", "bitcoin", "--config", installation.configuration]
            ).ended()
            #expect(ending.exit == 0 && ending.output.contains(" on bitcoin until "), "\(ending.errors)")
        }
    }

    @Test("a duration in a rule's place: the error names --all")
    func durationAlone() async throws {
        let ending = try await installation().run("silence", "2h")
        #expect(ending.exit == 65)
        #expect(ending.errors.contains("; for every rule: pricewatch silence --all 2h"))
    }

    @Test("silencing a rule, reading and backing up work beside a bad configuration")
    func faultyConfiguration() async throws {
        let installation = try await installation()
        let text = installation.folder.text("pricewatch.yaml")
        _ = installation.folder.write(text + "pol: {every: 1s}\n", as: "pricewatch.yaml")
        for arguments in [
            ["silence", "high"], ["history", "bitcoin"], ["summary"], ["alerts"], ["chart", "bitcoin"],
        ] {
            let ending = try await Program.start(arguments + ["--config", installation.configuration]).ended()
            #expect(ending.exit == 0, "\(arguments): \(ending.errors)")
            #expect(
                ending.errors.contains("pricewatch: the configuration is faulty (") && ending.errors.contains("pol"))
        }
        #expect(try await installation.run("rehearse").exit == 78)
        _ = installation.folder.write(text.replacing("database:", with: "databse:"), as: "pricewatch.yaml")
        // The last daemon's status says which database is meant.
        #expect(try await installation.run("silence").output.hasPrefix("high until "))
        try FileManager.default.removeItem(atPath: installation.folder.path + "/status.json")
        #expect(try await installation.run("silence").exit == 78)
    }
}
