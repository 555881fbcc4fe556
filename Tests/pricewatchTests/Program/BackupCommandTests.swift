import Foundation
import Glibc
import History
import MarketSimulator
import TestSupport
import Testing

@Suite struct BackupCommandTests {
    /// The copies in a folder, finished or not.
    private func copies(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("copy.db") }
    }

    @Test("beside a daemon and after its kill, as root, as a member of the group, and not as another user")
    func users() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let place = try TemporaryFolder()
        let copy = place.path + "/copy.db"
        #expect(geteuid() != 0 || chown(installation.folder.path, 0, getgrnam("games").pointee.gr_gid) == 0)
        chmod(place.path, 0o777)
        let daemon = try installation.start("run")
        try await eventually("polls") { installation.log.count { $0.contains("poll.ok") } > 2 }
        for isRunning in [true, false] {
            let before = try installation.samples()
            #expect(try await installation.run("backup", copy).exit == 0)
            #expect(try HistoryReader(at: copy).size().samples >= before)
            if let member = try await installation.runAsNobody(["backup", copy + "2"], group: "games") {
                #expect(member.exit == 0, "\(member.errors)")
                #expect(try HistoryReader(at: copy + "2").size().samples >= before)
            }
            if let other = try await installation.runAsNobody(["backup", copy + "3"]) {
                #expect(other.exit == 74)
                #expect(other.errors.contains("only members of the group games may read it"), "\(other.errors)")
            }
            guard isRunning else { break }
            daemon.signal(SIGKILL)
            _ = await daemon.ended()
        }
        await simulator.stop()
        #expect(try !copies(place.path).contains("copy.db3"))
    }

    @Test("on a disk that fills, the earlier copy stays, and no part of the new one")
    func fullDisk() async throws {
        guard let disk = try SmallDisk() else { return }
        let installation = try Installation(url: "http://127.0.0.1:9")
        try FilledDatabase().write(to: installation.database)
        let copy = disk.path + "/copy.db"
        #expect(try await installation.run("backup", copy).exit == 0)
        let earlier = FileManager.default.contents(atPath: copy)
        disk.fill()
        let full = try await installation.run("backup", copy)
        #expect(full.exit == 74 && full.errors.contains("free some space"), "\(full.errors)")
        #expect(FileManager.default.contents(atPath: copy) == earlier)
        #expect(try copies(disk.path) == ["copy.db"])
        try disk.empty()
        #expect(try await installation.run("backup", copy).exit == 0)
    }

    @Test("of a database with a damaged page no copy is made; forget deletes nothing there; restore mends it")
    func damaged() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        try FilledDatabase().write(to: installation.database)
        let copy = installation.folder.path + "/copy.db"
        #expect(try await installation.run("backup", copy).exit == 0)
        let (samples, earlier) = (try installation.samples(), FileManager.default.contents(atPath: copy))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: installation.database))
        let pages = bytes.count / 4096
        for page in 1..<pages { bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(count: 64)) }
        try bytes.write(to: URL(fileURLWithPath: installation.database))
        for command in [["backup", copy], ["forget", "bitcoin", "--yes"]] {
            let refused = try await Program.start(command + ["--config", installation.configuration]).ended()
            #expect(refused.exit == 74, "\(refused)")
            #expect(refused.errors.contains("restore a backup"), "\(command): \(refused.errors)")
        }
        #expect(FileManager.default.contents(atPath: copy) == earlier)
        #expect(FileManager.default.contents(atPath: installation.database) == bytes)
        #expect(try await installation.run("restore", copy).exit == 0)
        #expect(try installation.samples() == samples)
    }
}
