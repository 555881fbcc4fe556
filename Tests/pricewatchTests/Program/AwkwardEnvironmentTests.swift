import Foundation
import Glibc
import MarketSimulator
import Testing

/// Signals, files and folders that others have put in the way.
@Suite struct AwkwardEnvironmentTests {
    @Test("SIGUSR1 and SIGUSR2, at which other daemons reopen their log, do no harm", arguments: [SIGUSR1, SIGUSR2])
    func userSignals(signal: Int32) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        daemon.signal(signal)
        let seen = simulator.requestCount
        await simulator.waitUntilSeen(seen + 2)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a daemon that writes its status elsewhere is not taken for none")
    func statusElsewhere() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let text = installation.folder.text("pricewatch.yaml")
        _ = installation.folder.write(text.replacing("status.json", with: "other.json"), as: "pricewatch.yaml")
        let ending = try await installation.run("status")
        #expect(ending.exit == 2)
        #expect(
            ending.output.hasPrefix(
                "failing: a daemon (pid \(daemon.pid)) holds the database, and \(installation.folder.path)/other.json is "
                    + "not there: it writes its status elsewhere until it is restarted"), "\(ending.output)")
        let json = try await installation.run("status", "--json").output
        #expect(json.contains("\"pid\":\(daemon.pid),") && json.contains("\"state\":\"failing\""))
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(try await installation.run("status").output.hasPrefix("stopped: "))
    }

    @Test("a log file that is a pipe is refused by name, and the daemon starts")
    func pipeForLog() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(mkfifo(installation.folder.path + "/pricewatch.log", 0o644) == 0)
        let daemon = try installation.start("run")
        try await eventually("a status") {
            (try? installation.reasons) == ["log_unwritable"]
        }
        #expect(installation.folder.text("status.json").contains("it is a named pipe (name a plain file in log.file)"))
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a folder in the database's place, and a folder that cannot be made, are reported with cause and hint")
    func databasePlace() async throws {
        let folder = try TemporaryFolder()
        for (database, words) in [
            (folder.path, "open \(folder.path): it is a folder (name a file in history.database)"),
            ("/proc/nope/h.db", "make the folder /proc/nope: no such file or directory (make it by hand for this user"),
        ] {
            let installation = try Installation(url: "http://127.0.0.1:9", database: database)
            let ending = try await installation.run("run", "--once")
            #expect(ending.exit == 74 || database.hasPrefix("/proc"))
            #expect(ending.errors.contains(words), "\(ending.errors)")
        }
        #expect(try await Installation(url: "http://127.0.0.1:9", database: folder.path).run("history", "x").exit == 74)
    }

    @Test("the demo makes its own folder and none above it")
    func demoFolder() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.run("demo", environment: ["TMPDIR": folder.path + "/nowhere"])
        #expect(ending.exit == 74)
        #expect(ending.errors.contains("no such file or directory"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("help of a command that does not exist, and a configuration without a name")
    func slips() async throws {
        let help = try await Program.run("help", "nonsense")
        #expect(help.exit == 64 && help.errors.contains("there is no command 'nonsense'"))
        #expect(try await Program.run("help", "summry").errors.contains("did you mean pricewatch help summary?"))
        #expect(try await Program.run("help", "summary").exit == 0)
        #expect(try await Program.run("help").exit == 0)
        let unnamed = try await Program.run("check", "--config", "")
        #expect(unnamed.exit == 78)
        #expect(
            unnamed.errors == "read the configuration '': the path is empty (name a file behind --config)\n")
    }

    @Test("what the command line holds is repeated without what a terminal obeys")
    func escapes() async throws {
        for words in [
            ["alerts", "--since", "202\u{1B}]0;x"], ["alerts", "\u{1B}[2J"], ["summary", "--windo\u{202E}w"],
        ] {
            let result = try await Program.start(words).ended()
            #expect(result.exit == 64)
            #expect(result.errors.contains("\\u001b") || result.errors.contains("\\u202e"), "\(result.errors)")
            #expect(!result.errors.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
            #expect(result.errors.contains("Usage: pricewatch \(words[0])"))
        }
    }
}
