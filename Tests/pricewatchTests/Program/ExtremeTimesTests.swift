import Foundation
import MarketSimulator
import Testing

/// Times from the year 0000 to 9999 are times to every command that takes some.
@Suite struct ExtremeTimesTests {
    private static let times = [
        "0000-01-01", "0000-01-01T00:00:00Z", "0001-01-01", "1969-12-31", "2100-01-01", "9999-12-31",
        "9999-12-31T23:59:59.999Z", "365000d",
    ]

    @Test("no command is thrown by them")
    func everywhere() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[bitcoin]",
            more: "alerts: [{name: r, market: bitcoin, new_high: 30d, expires: 9999-12-31T23:59:59Z}]")
        #expect(try await installation.run("run", "--once").exit == 0)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()

        let picture = installation.folder.path + "/chart.svg"
        var questions: [[String]] = []
        for time in Self.times {
            for command in [
                ["history", "bitcoin"], ["history", "bitcoin", "--every", "1h", "--json"],
                ["history", "bitcoin", "--every", "7m", "--format", "csv"], ["chart", "bitcoin"],
                ["chart", "bitcoin", "--output", picture],
            ] {
                questions.append(command + ["--since", time])
                questions.append(command + ["--until", time])
                questions.append(command + ["--since", "0000-01-01", "--until", time])
                questions.append(command + ["--since", time, "--until", "9999-12-31T23:59:59Z"])
            }
            for command in [
                ["alerts"], ["alerts", "--json"], ["rehearse"], ["rehearse", "--json", "--with-backfill"],
            ] {
                questions.append(command + ["--since", time])
            }
        }
        questions += [
            ["summary", "--window", "365000d"], ["summary", "--window", "365000d", "--json"],
            ["silence", "--all", "365000d"], ["silence"], ["status"], ["check"],
        ]
        for question in questions {
            let ending = try await Program.start(question + ["--config", installation.configuration]).ended()
            #expect(
                [0, 64].contains(ending.exit) || question == ["status"], "\(question): \(ending.exit) \(ending.errors)")
            if question.starts(with: ["chart"]), question.contains("0000-01-01") {
                let isEmpty =
                    question.contains("--since") && ["0000-01-01", "0000-01-01T00:00:00Z"].contains(question.last)
                    && question.contains("--until")
                #expect(
                    isEmpty ? ending.exit == 64 : ending.output.contains("0000-01-01 00:00 to "), "\(ending.output)")
            }
        }
    }

    @Test("a past that begins before there was any provider is asked for as far as the provider reaches")
    func backfill() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[bitcoin]", feed: ", plan: pro, key: CG-x")
        #expect(try await installation.run("run", "--once").exit == 0)
        for time in ["0000-01-01", "9999-12-31"] {
            let ending = try await Program.start(
                ["backfill", "--since", time, "--config", installation.configuration]
            ).endedBefore { await simulator.waitUntilSeen(2) }
            #expect(ending.map { $0.exit >= 0 } ?? true, "\(ending?.errors ?? "")")
        }
        await simulator.stop()
    }
}

extension Program.Running {
    /// Stopped, and nil, where the event comes first.
    fileprivate func endedBefore(_ event: @escaping @Sendable () async -> Void) async -> Program.Ending? {
        let watch = Task {
            await event()
            if !Task.isCancelled { signal(9) }
        }
        let ending = await ended()
        watch.cancel()
        return ending.exit == -9 ? nil : ending
    }
}
