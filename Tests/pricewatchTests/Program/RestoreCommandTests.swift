import Foundation
import GRDB
import Glibc
import History
import MarketSimulator
import Markets
import TestSupport
import Testing

@Suite struct RestoreCommandTests {
    private func aside(_ installation: Installation) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: (installation.database as NSString).deletingLastPathComponent
        )
        .filter { $0.hasPrefix("history.db.replaced-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    @Test("status, history and run go on from the backup; nothing is announced twice")
    func goesOn() async throws {
        let path = (["90", "105", "90"] + Array(repeating: "105", count: 60)).compactMap { Price(parsing: $0) }
        let simulator = try await CoinGeckoSimulator.start(script: [try MarketID("bitcoin"): path])
        let folder = try TemporaryFolder()
        let (backup, sent) = (folder.path + "/copy.db", folder.path + "/sent")
        let installation = try Installation(
            url: simulator.baseURL,
            more: """
                alerts: [{name: high, market: bitcoin, above: 100}]
                notify: {hook: {exec: [/bin/sh, -c, "cat >> \(sent); echo >> \(sent)"]}}
                """)
        func announced() -> [String] {
            folder.text("sent").matches(of: /"event_id":"([0-9a-f]+)","event":"(\w+)"/).map { String($0.output.2) }
        }
        for _ in 0..<2 { #expect(try await installation.run("run", "--once").exit == 0) }
        #expect(announced() == ["firing"])
        #expect(try await installation.run("backup", backup).exit == 0)
        for _ in 0..<2 { #expect(try await installation.run("run", "--once").exit == 0) }
        #expect(announced() == ["firing", "resolved", "firing"])

        let daemon = try installation.start("run")
        let polls = installation.log.count { $0.contains("poll.ok") }
        try await eventually("a poll") { installation.log.count { $0.contains("poll.ok") } > polls }
        let refused = try await installation.run("restore", backup)
        #expect(refused.exit == 74)
        #expect(
            refused.errors.contains(
                "a daemon (pid \(daemon.pid)) uses it (systemctl stop pricewatch, or end it: kill \(daemon.pid))"))
        daemon.signal(SIGKILL)
        _ = await daemon.ended()

        let restored = try await installation.run("restore", backup)
        #expect(restored.exit == 0, "\(restored.errors)")
        let old = try #require(try aside(installation).first)
        let lines = restored.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("\(installation.database): restored from \(backup), 6 samples, the newest of 20"))
        #expect(lines[1].hasPrefix("the database before it is kept as ") && lines[1].hasSuffix(old))
        #expect(lines[2] == "alerts, silences and unsent messages are those of the database before it")
        #expect(try installation.samples() == 6)
        #expect(try await installation.run("history", "bitcoin", "--format", "csv").output.contains(",105,"))
        #expect(try await installation.run("status").exit == 2)
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        #expect(try installation.samples() == 9)
        #expect(announced() == ["firing", "resolved", "firing"], "it still fires, and that is known")
        let ids = installation.log.filter { $0.contains(" alert.") }.compactMap {
            $0.firstMatch(of: /event_id=\w+/)?.output
        }
        #expect(ids.count == 3 && Set(ids).count == 3)
    }

    @Test("over a damaged database it works, and what is no backup is 74 with what to do")
    func refusals() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        let backup = installation.folder.path + "/copy.db"
        try FilledDatabase().write(to: installation.database)
        #expect(try await installation.run("backup", backup).exit == 0)
        let damaged = Data(repeating: 0xA5, count: 9000)
        try damaged.write(to: URL(fileURLWithPath: installation.database))
        let text = installation.folder.write("hello\n", as: "text")
        let newer = installation.folder.path + "/newer.db"
        try FileManager.default.copyItem(atPath: backup, toPath: newer)
        try await DatabaseQueue(path: newer).write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: later')")
        }
        for (file, message) in [
            (text, "this is not a pricewatch database (name a file that pricewatch backup made)"),
            ("/nowhere", "no such file"),
            (newer, "a newer release of pricewatch wrote it (install that release)"),
        ] {
            let ending = try await installation.run("restore", file)
            #expect(ending.exit == 74)
            #expect(ending.errors.hasPrefix("restore \(file): ") && ending.errors.contains(message), "\(ending.errors)")
        }
        #expect(try await installation.run("restore", installation.database).exit == 64)
        #expect(FileManager.default.contents(atPath: installation.database) == damaged)
        let ending = try await installation.run("restore", backup)
        #expect(ending.exit == 0)
        #expect(ending.output.contains("3 queued messages of the backup will not be sent"), "\(ending.output)")
        let old = installation.folder.path + "/" + (try #require(try aside(installation).first))
        #expect(FileManager.default.contents(atPath: old) == damaged)
        #expect(try await installation.run("history", "--all", "--since", "2026-11-01").exit == 0)
        try FileManager.default.removeItem(atPath: installation.database)
        let fresh = try await installation.run("restore", backup)
        #expect(fresh.exit == 0 && !fresh.output.contains("another history"))
        chmod(backup, 0o644)
        if let ending = try await installation.runAsNobody(["restore", backup], readable: true) {
            #expect(ending.exit == 74)
            #expect(ending.errors.contains("permission denied (run as the service's user)"), "\(ending.errors)")
        }
    }

    @Test("a full disk is 74, and the database stays")
    func fullDisk() async throws {
        guard let disk = try SmallDisk() else { return }
        let installation = try Installation(url: "http://127.0.0.1:9", database: disk.database)
        try FilledDatabase().write(to: disk.database)
        let backup = installation.folder.path + "/copy.db"
        #expect(try await installation.run("backup", backup).exit == 0)
        disk.fill()
        let full = try await installation.run("restore", backup)
        #expect(full.exit == 74 && full.errors.contains("(the database is as it was)"), "\(full.errors)")
        #expect(try aside(installation).isEmpty)
        #expect(try await installation.run("history", "bitcoin").exit == 0)
        try disk.empty()
        #expect(try await installation.run("restore", backup).exit == 0)
    }

    @Test("killed at any moment, the database is the old one or the new one, and the old one is never lost")
    func killed() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        let backup = installation.folder.path + "/copy.db"
        try FilledDatabase().write(to: installation.database)
        let samples = try installation.samples()
        #expect(try await installation.run("backup", backup).exit == 0)
        try ForgetDatabase(at: installation.database).forget(try MarketID("bitcoin"), before: nil)
        let fewer = try installation.samples()
        let fresh = try Data(contentsOf: URL(fileURLWithPath: installation.database))
        for round in 0..<20 {
            for name in try FileManager.default.contentsOfDirectory(atPath: installation.folder.path)
            where name.hasPrefix("history.db") {
                try FileManager.default.removeItem(atPath: installation.folder.path + "/" + name)
            }
            try fresh.write(to: URL(fileURLWithPath: installation.database))
            let restoring = try installation.start("restore", backup)
            try await Task.sleep(for: .milliseconds(20 + round * 4))
            restoring.signal(SIGKILL)
            _ = await restoring.ended()
            let found = try installation.samples()
            #expect(found == samples || found == fewer)
            guard found == samples else { continue }
            let old = installation.folder.path + "/" + (try #require(try aside(installation).first))
            #expect(try HistoryReader(at: old).size().samples == fewer)
        }
        #expect(try await installation.run("restore", backup).exit == 0)
        #expect(try installation.samples() == samples)
    }
}
