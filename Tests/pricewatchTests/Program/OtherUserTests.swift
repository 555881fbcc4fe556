import Foundation
import Glibc
import MarketSimulator
import Testing

/// `pricewatch` started by another user than the service's.
@Suite struct OtherUserTests {
    @Test(
        "beside the daemon they send nothing and are refused: 75 and its pid where they may see its lock, else 74")
    func besideTheDaemon() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(geteuid() != 0 || chown(installation.folder.path, 0, getgrnam("games").pointee.gr_gid) == 0)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        for arguments in [["run"], ["run", "--once"]] {
            guard let member = try await installation.runAsNobody(arguments, group: "games") else { break }
            #expect(member.exit == 75, "\(member.errors)")
            #expect(member.errors.contains("pid \(daemon.pid)"))
            #expect(try await installation.runAsNobody(arguments)?.exit == 74)
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("without a daemon, a single poll that cannot be recorded is not sent: 74, with a hint")
    func alone() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        if let ending = try await installation.runAsNobody(["run", "--once"]) {
            #expect(ending.exit == 74)
            #expect(ending.errors.contains("permission denied (run as the service's user)"), "\(ending.errors)")
            #expect(simulator.requestCount == 1)
        }
        chmod(installation.database, 0o600)
        if let ending = try await installation.runAsNobody(["run"]) {
            #expect(ending.exit == 74, "what was announced cannot be known")
            #expect(ending.errors.contains("permission denied (run as the service's user)"), "\(ending.errors)")
            #expect(simulator.requestCount == 1)
        }
        await simulator.stop()
    }
}

extension Installation {
    /// As the user `nobody`; nil where only root can do that, which is said.
    ///
    /// - Parameters:
    ///   - group: whose member that user is.
    ///   - readable: the database is readable for everyone.
    func runAsNobody(
        _ arguments: [String], group: String? = nil, readable: Bool = false
    ) async throws -> Program.Ending? {
        guard geteuid() == 0, access("/usr/bin/setpriv", X_OK) == 0 else {
            print("skipped: only root, with setpriv, can run a program as another user")
            return nil
        }
        chmod(folder.path, 0o755)
        if readable { for suffix in ["", "-wal", "-shm"] { chmod(database + suffix, 0o644) } }
        return try await Program.start(
            ["--reuid=65534", "--regid=65534", group.map { "--groups=\($0)" } ?? "--clear-groups", Program.path]
                + arguments + ["--config", configuration], program: "/usr/bin/setpriv"
        ).ended()
    }
}
