import Foundation
import GRDB
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Engine

/// A damaged database as the commands meet it: those that read say so and touch nothing, a poll sets it aside.
@Suite struct DamagedDatabaseTests {
    /// What happened, and the table and column that are named for it.
    struct Damage: Sendable, CustomTestStringConvertible {
        var mutation: Mutation
        var named: String
        /// A command that meets it; none where only the daemon does.
        var command: [String]?
        var testDescription: String { mutation.description }

        init(_ mutation: Mutation, _ named: String, _ command: String...) {
            self.mutation = mutation
            self.named = named
            self.command = command.isEmpty ? nil : command
        }

        static let all = [
            Damage(.value(0.databaseValue, in: "silence", "rule"), "silence.rule", "silence"),
            Damage(.value(.null, in: "silence", "until"), "silence.until", "silence"),
            Damage(.value("x".databaseValue, in: "sample", "significand"), "sample.significand", "history", "bitcoin"),
            Damage(.value(.null, in: "poll", "fetched_at"), "poll.fetched_at", "history", "bitcoin"),
            Damage(.value(.null, in: "series", "market"), "series.market", "summary"),
            Damage(.value(Int64.max.databaseValue, in: "poll", "at"), "poll.at", "rehearse"),
            Damage(.value("fjring".databaseValue, in: "event", "event"), "event.event", "alerts"),
            Damage(.value(Data([0xFF]).databaseValue, in: "event", "name"), "event.name", "alerts"),
            Damage(.value(.null, in: "message", "created_at"), "message.created_at"),
            Damage(.value("x".databaseValue, in: "feed_month", "requests"), "feed_month.requests"),
            Damage(.sql("ALTER TABLE silence RENAME TO other"), "silence", "silence"),
            Damage(.sql("ALTER TABLE alert RENAME COLUMN state TO other"), "alert.state"),
            Damage(.sql("DROP TABLE feed_note"), "feed_note"),
            Damage(.abort("INSERT", on: "poll"), "refused"),
        ]
    }

    private func installation(_ url: String) throws -> Installation {
        let installation = try Installation(url: url, more: "alerts: [{name: high, market: bitcoin, above: 1}]")
        try FilledDatabase(start: Date() - .hours(3)).write(to: installation.database)
        return installation
    }

    private func aside(_ installation: Installation) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: installation.folder.path)
            .filter { $0.hasPrefix("history.db.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    @Test("it is named by those that read, and set aside by a poll", arguments: Damage.all)
    func damaged(damage: Damage) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try installation(simulator.baseURL)
        try damage.mutation.apply(installation.database)
        let bytes = FileManager.default.contents(atPath: installation.database)
        if let command = damage.command {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(ending.exit == 74, "\(ending)")
            #expect(ending.errors.contains(damage.named), "\(ending.errors)")
        }
        for command in [["status"], ["history", "bitcoin"], ["silence"], ["alerts"], ["summary"]] {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(command == ["status"] ? [2, 3].contains(ending.exit) : [0, 74].contains(ending.exit), "\(ending)")
        }
        #expect(FileManager.default.contents(atPath: installation.database) == bytes, "left as it was")
        #expect(try aside(installation).isEmpty)

        let ending = try await installation.run("run", "--once")
        #expect(ending.exit == 0, "\(ending.errors)")
        #expect(try aside(installation).count == 1)
        #expect(installation.log.contains { $0.contains(" history.replaced ") && $0.contains(damage.named) })
        for command in [["history", "bitcoin"], ["silence"], ["alerts"], ["summary"], ["run", "--once"]] {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(ending.exit == 0, "\(command): \(ending.errors)")
        }
        #expect(try aside(installation).count == 1)
        await simulator.stop()
    }

    @Test("what can still be read of the states goes on in the new database")
    func states() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try installation(simulator.baseURL)
        try Mutation.value(0.databaseValue, in: "silence", "rule", row: 1).apply(installation.database)
        try Mutation.value("x".databaseValue, in: "told", "channel", row: 1).apply(installation.database)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let reader = try HistoryReader(at: installation.database)
        #expect(try reader.silences().map(\.rule) == ["high", "drop"], "none that was damaged holds for another rule")
        let high = AlertKey(rule: "high", market: try MarketID("bitcoin"))
        #expect(try reader.alerts()[high]?.state.isFiring == true)
        #expect(try reader.activeEvents().contains { $0.id == "e2" })
    }

    /// How a database lost its beginning, and the log beside it did not.
    enum Loss: String, Sendable {
        case everything, firstPage, header

        func apply(_ path: String) throws {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            switch self {
            case .everything: bytes = Data()
            case .firstPage: bytes.replaceSubrange(0..<4096, with: Data(count: 4096))
            case .header: bytes.replaceSubrange(0..<16, with: Data((0..<16).map { 0xF0 + $0 }))
            }
            try bytes.write(to: URL(fileURLWithPath: path))
        }
    }

    /// A database whose log holds every page of it, and which was killed.
    private func killed(_ url: String) throws -> Installation {
        let installation = try Installation(url: url, more: "alerts: [{name: high, market: bitcoin, above: 1}]")
        let folder = try TemporaryFolder()
        let writer = try HistoryWriter(at: folder.database)
        let high = AlertKey(rule: "high", market: try MarketID("bitcoin"))
        for minute in 0..<10 {
            let at = Date() - .minutes(20 - minute)
            let sample = Sample(
                market: high.market, symbol: "btc", name: "Bitcoin",
                price: try #require(Price(significand: Int64(60_001 + minute), exponent: 0)), quotedAt: at)
            let poll = PollRecord(
                at: at, fetchedAt: at, feed: "coingecko", currency: .usd, outcome: .ok, samples: [sample],
                watched: WatchedMarkets([high.market], currencies: .init(.usd)))
            try writer.record(poll) { commit in
                guard minute == 0 else { return }
                commit.alerts[high] = Alert(
                    state: .firing(.init(since: at, lastNotified: at)), condition: "above 1", announcements: 1)
            }
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: installation.database + suffix)
        }
        try writer.close()
        return installation
    }

    @Test(
        "no command takes the log away from a database that lost its beginning", arguments: [Loss.everything, .header])
    func logBeside(loss: Loss) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try killed(simulator.baseURL)
        try loss.apply(installation.database)
        let log = try #require(FileManager.default.contents(atPath: installation.database + "-wal"))
        let database = FileManager.default.contents(atPath: installation.database)
        #expect(log.count > 100_000)
        for command in [
            ["history", "bitcoin"], ["summary"], ["alerts"], ["chart", "bitcoin"], ["rehearse"], ["silence"],
            ["silence", "high", "1h"], ["unsilence", "--all"], ["backup", installation.folder.path + "/copy.db"],
            ["backfill", "bitcoin"], ["forget", "bitcoin", "--yes"],
        ] {
            let ending = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(ending.exit == 74, "\(command): \(ending)")
            #expect(ending.errors.contains("write-ahead log"), "\(command): \(ending.errors)")
            #expect(FileManager.default.contents(atPath: installation.database + "-wal") == log, "\(command)")
            #expect(FileManager.default.contents(atPath: installation.database) == database, "\(command)")
        }
        #expect(try await installation.run("status").exit == 3)
        #expect(FileManager.default.contents(atPath: installation.database + "-wal") == log)
        #expect(try aside(installation).isEmpty)

        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let aside = try aside(installation)
        let copy = installation.folder.path + "/" + (try #require(aside.first))
        #expect(aside.count == 1)
        #expect(FileManager.default.contents(atPath: copy + "-wal") == log)
        let samples = try await DatabaseQueue(path: copy).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM prices WHERE market = 'bitcoin'")
        }
        #expect(samples == 10, "sqlite3 opens it with its log")
        #expect(!installation.log.contains { $0.contains(" alert.firing ") }, "what was announced is announced once")
    }

    @Test("a first page of zeros that the log holds is no loss")
    func firstPageInLog() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try killed(simulator.baseURL)
        try Loss.firstPage.apply(installation.database)
        #expect(try await installation.run("history", "bitcoin").exit == 0)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        #expect(try aside(installation).isEmpty)
        let samples = try await DatabaseQueue(path: installation.database).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM prices WHERE market = 'bitcoin'")
        }
        #expect(samples == 11)
        #expect(!installation.log.contains { $0.contains(" alert.firing ") }, "what was announced is announced once")
    }
}
