import Foundation
import Glibc
import History
import MarketSimulator
import Testing

@testable import pricewatch

/// Links that another user has put where pricewatch writes.
@Suite struct ForeignLinkTests {
    private static let kept = "not to be touched"

    private func modeOf(_ path: String) -> mode_t {
        var information = stat()
        return stat(path, &information) == 0 ? information.st_mode & 0o7777 : 0
    }

    @Test("under the name that a temporary file would have by the daemon's pid, none is written through")
    func daemon() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let shared = try TemporaryFolder()
        let installation = try Installation(
            url: simulator.baseURL, more: "metrics_file: \(shared.path)/pricewatch.prom")
        let victim = shared.write(Self.kept, as: "victim")
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        for file in ["\(shared.path)/pricewatch.prom", "\(installation.folder.path)/status.json"] {
            #expect(symlink(victim, "\(file).\(daemon.pid).tmp") == 0)
        }
        await simulator.waitUntilSeen(simulator.requestCount + 2)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(shared.text("victim") == Self.kept)
        #expect(shared.text("pricewatch.prom").contains("pricewatch_state{state=\"stopped\"} 1"))
    }

    @Test("a file that is replaced has a mode of its own, leaves nothing else behind, and no failure does")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let victim = folder.write(Self.kept, as: "victim")
        let path = folder.path + "/file"
        #expect(symlink(victim, "\(path).\(getpid()).tmp") == 0)
        #expect(symlink(victim, path) == 0)
        try AtomicFile(path: path).replace(with: Array("new".utf8))
        #expect(folder.text("file") == "new")
        #expect(folder.text("victim") == Self.kept)
        #expect(modeOf(path) == 0o644)
        try FileManager.default.createDirectory(atPath: folder.path + "/taken", withIntermediateDirectories: true)
        #expect(throws: FileFault.self) { try AtomicFile(path: folder.path + "/taken").replace(with: [1]) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["file", "file.\(getpid()).tmp", "taken", "victim"])
    }

    @Test("what a killed process left is cleared away within the hour, what is being written or is not ours stays")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        let old = [timeval(tv_sec: 1_700_000_000, tv_usec: 0), timeval(tv_sec: 1_700_000_000, tv_usec: 0)]
        let names = [
            "file.0123456789abcdef.tmp", "file.fedcba9876543210.tmp", "file.mine.tmp", "other.0123456789abcdef.tmp",
        ]
        for name in names {
            _ = folder.write("x", as: name)
            if name != names[1] { #expect(utimes(folder.path + "/" + name, old) == 0) }
        }
        let file = AtomicFile(path: folder.path + "/file")
        file.removeAbandoned()
        try file.replace(with: [1])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == (["file"] + names.dropFirst()).sorted())
    }

    @Test("as the log, it is followed in a folder of our own and refused where others may write")
    func log() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        for (mode, isFollowed) in [(mode_t(0o755), true), (0o777, false), (0o1777, false)] {
            let installation = try Installation(url: simulator.baseURL)
            let victim = installation.folder.write(Self.kept, as: "victim")
            #expect(chmod(victim, 0o644) == 0)
            #expect(symlink(victim, installation.folder.path + "/pricewatch.log") == 0)
            chmod(installation.folder.path, mode)
            #expect(try await installation.run("run", "--once").exit == 0)
            #expect((installation.folder.text("victim") == Self.kept) == !isFollowed)
            #expect(try installation.reasons == (isFollowed ? [] : ["log_unwritable"]))
            if !isFollowed {
                #expect(installation.folder.text("status.json").contains("(name the file itself in log.file)"))
                #expect(modeOf(victim) == 0o644)
            }
        }
        await simulator.stop()
    }
}
