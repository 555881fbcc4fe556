import Foundation
import Glibc
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@Suite struct ForgetCommandTests {
    private func installation() throws -> Installation {
        let installation = try Installation(url: "http://127.0.0.1:9")
        try FilledDatabase().write(to: installation.database)
        return installation
    }

    private func samples(_ market: String, _ installation: Installation) throws -> Int64 {
        try HistoryReader(at: installation.database).recorded(of: try MarketID(market), before: nil).samples
    }

    @Test("without a terminal it says how many, and deletes only with --yes")
    func withoutTerminal() async throws {
        let installation = try installation()
        let count = try samples("bitcoin", installation)
        let refused = try await installation.run("forget", "bitcoin")
        #expect(refused.exit == 64)
        #expect(
            refused.errors.wholeMatch(
                of: /delete \d+ samples and \d+ candles of bitcoin: there is no terminal to ask on \(use --yes\)\n/)
                != nil, "\(refused.errors)")
        #expect(try samples("bitcoin", installation) == count)
        let part = try await installation.run("forget", "bitcoin", "--before", "2026-11-21T11:30:00Z", "--yes")
        #expect(part.exit == 0)
        #expect(
            part.output.contains(" of bitcoin before 2026-11-21 11:30:00 UTC; alert events stay\n"), "\(part.output)")
        #expect((1..<count).contains(try samples("bitcoin", installation)))
        #expect(
            try await installation.run("forget", "bitcoin", "--before", "2026-01-01").output.hasPrefix("deleted 0 "))
        #expect(try await installation.run("forget", "bitcoin", "--yes").exit == 0)
        #expect(try samples("bitcoin", installation) == 0)
        #expect(try HistoryReader(at: installation.database).events(since: .distantPast).count == 3)
        for market in ["bitcoin", "etherium"] {
            let unknown = try await installation.run("forget", market, "--yes")
            #expect(unknown.exit == 65 && unknown.output.isEmpty)
            #expect(unknown.errors.contains("did you mean ethereum?") == (market == "etherium"), "\(unknown.errors)")
        }
    }

    @Test("on a terminal it asks, and only y deletes", arguments: ["y\n", "yes\n", "n\n", "\n", "\u{04}"])
    func asks(answer: String) async throws {
        let installation = try installation()
        let terminal = try PseudoTerminal(
            ["forget", "bitcoin", "--config", installation.configuration], columns: 100, rows: 24)
        try await eventually("the question") { terminal.text().contains(" of bitcoin? [y/N] ") }
        #expect(try samples("bitcoin", installation) > 0)
        terminal.type(answer)
        var exit: Int32?
        try await eventually("its end") {
            _ = terminal.text()
            exit = terminal.ended()
            return exit != nil
        }
        #expect(exit == 0)
        let isDeleted = answer.hasPrefix("y")
        #expect(terminal.text().contains(isDeleted ? "deleted 30 samples" : "nothing was deleted"))
        #expect(try (samples("bitcoin", installation) == 0) == isDeleted)
    }

    @Test("beside a daemon it works, and the daemon goes on")
    func besideDaemon() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("polls") { installation.log.count { $0.contains("poll.ok") } > 2 }
        let ending = try await installation.run("forget", "bitcoin", "--yes")
        #expect(ending.exit == 0, "\(ending.errors)")
        let polls = installation.log.count { $0.contains("poll.ok") }
        try await eventually("later polls") { installation.log.count { $0.contains("poll.ok") } > polls + 1 }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(try samples("bitcoin", installation) < samples("ethereum", installation))
        #expect(!installation.log.contains { $0.contains("not_recording") })
    }

    @Test("where it cannot write, it is 74 with what to do, before it asks")
    func unwritable() async throws {
        let installation = try installation()
        if let ending = try await installation.runAsNobody(["forget", "bitcoin"], readable: true) {
            #expect(ending.exit == 74)
            #expect(ending.errors.contains("permission denied (run as the service's user)"), "\(ending.errors)")
        }
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: installation.database))
        #expect(try await installation.run("forget", "bitcoin", "--yes").exit == 74)
        try FileManager.default.removeItem(atPath: installation.database)
        #expect(try await installation.run("forget", "bitcoin", "--yes").exit == 65)
    }

    @Test("on a full disk it is 74, and again with room it works")
    func fullDisk() async throws {
        guard let disk = try SmallDisk() else { return }
        let installation = try Installation(url: "http://127.0.0.1:9", database: disk.database)
        try FilledDatabase().write(to: disk.database)
        disk.fill()
        let full = try await installation.run("forget", "bitcoin", "--yes")
        #expect(full.exit == 74 && full.errors.contains("the disk is full (free some space"), "\(full.errors)")
        try disk.empty()
        #expect(try await installation.run("forget", "bitcoin", "--yes").exit == 0)
        #expect(try samples("bitcoin", installation) == 0)
    }
}
