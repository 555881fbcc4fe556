import Foundation
import Glibc
import MarketSimulator
import Testing

/// Who may read what the daemon writes: everybody its status and metrics, a group its history, administrators its log.
@Suite struct FileModesTests {
    /// A group that every Linux has; in the place of `pricewatch`.
    private static let group = "games"

    private struct Access: Equatable {
        var mode: mode_t
        var group: gid_t
    }

    private func access(_ installation: Installation, _ name: String) -> Access? {
        var information = stat()
        guard stat(installation.folder.path + "/" + name, &information) == 0 else { return nil }
        return Access(mode: information.st_mode & 0o7777, group: information.st_gid)
    }

    /// A umask, and who set it.
    struct Start: CustomTestStringConvertible {
        var umask: String
        /// Whether systemd starts the process, and so names its pid to it.
        var bySystemd = false
        /// The mode of files that an earlier release left.
        var before: mode_t?

        var testDescription: String { "\(umask)\(bySystemd ? " by systemd" : "")" }
        var isStrict: Bool { umask == "077" && !bySystemd }

        fileprivate func callAsFunction(_ installation: Installation) throws -> Program.Running {
            let named = bySystemd ? "SYSTEMD_EXEC_PID=$$" : "SYSTEMD_EXEC_PID=1"
            return try Program.start(
                [
                    "-c", "umask \(umask); export \(named); exec \"$0\" \"$@\"", Program.path, "run", "--config",
                    installation.configuration,
                ], program: "/bin/sh")
        }
    }

    private func gid(_ name: String) throws -> gid_t { try #require(getgrnam(name)).pointee.gr_gid }

    private static let ofDatabase = ["history.db", "history.db-wal", "history.db-shm", "history.db.lock"]

    @Test(
        "each file has its mode, whatever the umask allows and whatever mode it had; a stricter one is kept, not a unit's",
        arguments: [
            Start(umask: "000"), Start(umask: "022", before: 0o666), Start(umask: "077"),
            Start(umask: "077", bySystemd: true),
        ])
    func modes(start: Start) async throws {
        guard geteuid() == 0 else { return print("skipped: only root may give a folder to a group") }
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let metrics = "metrics_file: \(installation.folder.path)/metrics.prom\n"
        _ = installation.folder.write(installation.folder.text("pricewatch.yaml") + metrics, as: "pricewatch.yaml")
        let (group, adm) = (try gid(Self.group), try gid("adm"))
        #expect(chown(installation.folder.path, 0, group) == 0)
        if let before = start.before {
            #expect(try await installation.run("run", "--once").exit == 0)
            for name in try FileManager.default.contentsOfDirectory(atPath: installation.folder.path) {
                #expect(chmod(installation.folder.path + "/" + name, before) == 0)
                #expect(chown(installation.folder.path + "/" + name, 0, 0) == 0)
            }
        }
        let seen = simulator.requestCount
        let daemon = try start(installation)
        await simulator.waitUntilSeen(seen + 2)
        try await eventually("a poll") { installation.log.contains { $0.contains("poll.") } }
        let (closed, open) = (start.isStrict ? mode_t(0o600) : 0o640, start.isStrict ? mode_t(0o600) : 0o644)
        for name in Self.ofDatabase {
            #expect(access(installation, name) == Access(mode: closed, group: group), "\(name)")
        }
        #expect(access(installation, "pricewatch.log") == Access(mode: closed, group: adm))
        for name in ["status.json", "metrics.prom"] { #expect(access(installation, name)?.mode == open, "\(name)") }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        for name in Self.ofDatabase.prefix(3) { #expect(access(installation, name)?.mode == closed, "\(name)") }
        #expect(try await installation.run("backup", installation.folder.path + "/backup.db").exit == 0)
        #expect(access(installation, "backup.db")?.mode == 0o640)
    }

    @Test("the group may read the history, all users the status; the error names the group")
    func readers() async throws {
        guard geteuid() == 0, Glibc.access("/usr/bin/setpriv", X_OK) == 0 else {
            return print("skipped: only root, with setpriv, can run a program as another user")
        }
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let state = installation.folder.path + "/state"
        _ = installation.folder.write(
            installation.folder.text("pricewatch.yaml").replacing(
                "history: {database: \(installation.database)", with: "history: {database: \(state)/history.db"),
            as: "pricewatch.yaml")
        let group = try gid(Self.group)
        // As the unit makes it.
        #expect(mkdir(state, 0o750) == 0 && chown(state, 0, group) == 0)
        chmod(installation.folder.path, 0o755)
        let daemon = try installation.start("run")
        try await eventually("a poll") { installation.log.contains { $0.contains("poll.ok") } }
        func run(as groups: [String], _ arguments: String...) async throws -> Program.Ending {
            try await Program.start(
                ["--reuid=65534", "--regid=65534"] + groups + [Program.path] + arguments
                    + ["--config", installation.configuration], program: "/usr/bin/setpriv"
            ).ended()
        }
        for phase in ["while it runs", "after it ended"] {
            let member = try await run(as: ["--groups=\(Self.group)"], "history", "bitcoin", "--format", "csv")
            #expect(member.exit == 0, "\(phase): \(member.errors)")
            #expect(member.output.contains("\nbitcoin,"), "\(phase)")
            let status = try await run(as: ["--clear-groups"], "status")
            #expect(status.exit == (phase == "while it runs" ? 0 : 2), "\(phase): \(status.errors)")
            for command in [["history", "bitcoin"], ["summary", "--window", "1h"], ["alerts"], ["chart", "bitcoin"]] {
                let stranger = try await Program.start(
                    ["--reuid=65534", "--regid=65534", "--clear-groups", Program.path] + command
                        + ["--config", installation.configuration], program: "/usr/bin/setpriv"
                ).ended()
                #expect(stranger.exit == 74, "\(phase): \(command)")
                #expect(
                    stranger.errors.contains(
                        "open \(state)/history.db: permission denied (only members of the group \(Self.group) may read it"
                    ), "\(phase): \(stranger.errors)")
            }
            if phase == "while it runs" {
                daemon.signal(SIGTERM)
                #expect(await daemon.ended().exit == 0)
            }
        }
        await simulator.stop()
    }
}
