import Foundation
import Glibc
import MarketSimulator
import TestSupport
import Testing

/// The built program: `pricewatch web` beside a daemon, and without one.
@Suite struct WebProgramTests {
    /// The page, once it has printed its address.
    private struct Page {
        let running: Program.Running
        let port: Int

        init(_ installation: Installation, _ more: String...) async throws {
            running = try Program.start(
                ["web", "--listen", "127.0.0.1:0", "--config", installation.configuration] + more)
            let running = running
            try await eventually("an address") { running.output.contains("\n") }
            let first = running.output.split(separator: "\n").first ?? ""
            #expect(first.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\//) != nil, "\(first)")
            port = try #require(Int(first.split(separator: ":").last?.dropLast() ?? ""))
        }

        func get(_ target: String) async throws -> (status: String, text: String) {
            let text = try await RawClient.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port).text
            // A page has the state in bold.
            return (String(text.dropFirst(9).prefix(3)), text.replacing("</strong>: ", with: ": "))
        }

        /// Asks until the answer is this one: requests of one second share what was read.
        func shows(_ target: String, _ status: String, _ words: String) async throws {
            let end = ContinuousClock.now + .seconds(20)
            var answer = try await get(target)
            while answer.status != status || !answer.text.contains(words), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
                answer = try await get(target)
            }
            #expect(answer.status == status && answer.text.contains(words), "\(answer.text)")
        }

        func end() async {
            running.signal(SIGTERM)
            let ending = await running.ended()
            #expect(ending.exit == 0 && ending.errors.isEmpty, "\(ending.errors)")
        }
    }

    @Test("never started, running, stopped, started again, killed: the page says which, and keeps showing the prices")
    func life() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let page = try await Page(installation)
        try await page.shows("/", "200", "unreadable: ")
        try await page.shows("/healthz", "503", "unreadable: ")
        for signal in [SIGTERM, SIGKILL] {
            let daemon = try installation.start("run")
            try await page.shows("/healthz", "200", "ok: 3 markets, polled ")
            try await page.shows("/", "200", "ok: 3 markets, polled ")
            let drawn = try await page.get("/m/bitcoin").text
            #expect(drawn.contains("class=\"price\"") || drawn.contains("<circle"))
            daemon.signal(signal)
            _ = await daemon.ended()
            let sentence = signal == SIGTERM ? "stopped: no daemon is running" : "failing: the daemon (pid"
            try await page.shows("/", "200", sentence)
            #expect(try await page.get("/").text.contains("Bitcoin"))
            try await page.shows("/healthz", "503", sentence)
            let chart = try await page.get("/m/bitcoin.svg")
            #expect(chart.status == "200")
            #expect(chart.text.contains("class=\"price\"") || chart.text.contains("class=\"dot\""))
        }
        await page.end()
        await simulator.stop()
    }

    @Test("a user of the group sees everything; one who is not in it what the status file has, and the group's name")
    func users() async throws {
        guard geteuid() == 0, access("/usr/bin/setpriv", X_OK) == 0 else {
            print("skipped: only root, with setpriv, can run a program as another user")
            return
        }
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let folder = installation.folder.path
        #expect(chown(folder, 0, getgrnam("games").pointee.gr_gid) == 0)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        for isRunning in [true, false] {
            if !isRunning {
                daemon.signal(SIGTERM)
                #expect(await daemon.ended().exit == 0)
            }
            for (name, group) in [("member", "games"), ("stranger", nil)] {
                let out = folder + "/\(name)-\(isRunning)"
                try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
                chmod(out, 0o777)
                let ending = try #require(try await installation.runAsNobody(["web", "--output", out], group: group))
                #expect(ending.exit == 0, "\(ending.errors)")
                let page = installation.folder.text("\(name)-\(isRunning)/m/bitcoin.html")
                #expect(page.contains("fresh") || !isRunning)
                #expect(page.contains("only members of the group games may read it") == (group == nil), "\(page)")
                #expect(page.contains("Prices in usd, by the hour") == (group != nil))
            }
        }
        await simulator.stop()
    }

    @Test("a socket that systemd has opened, and a Unix socket")
    func sockets() async throws {
        let installation = try Installation(url: "http://127.0.0.1:1")
        let path = installation.folder.path + "/socket"
        let page = try Program.start(["web", "--listen", "unix:\(path)", "--config", installation.configuration])
        try await eventually("an address") { page.output == "unix:\(path)\n" }
        page.signal(SIGINT)
        #expect(await page.ended().exit == 0)
        // As systemd does: the socket is descriptor 3, and the pid is that of the program.
        let script = """
            import os, socket, sys
            listener = socket.socket(); listener.bind(("127.0.0.1", 0)); listener.listen(8)
            os.dup2(listener.fileno(), 3); os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let activated = try Program.start(
            ["-c", script, Program.path, "web", "--config", installation.configuration], program: "/usr/bin/python3")
        try await eventually("an address") {
            activated.output.hasPrefix("http://127.0.0.1:") && activated.output.hasSuffix("/\n")
        }
        let port = try #require(Int(activated.output.split(separator: ":").last?.dropLast(2) ?? ""))
        let answer = try await RawClient.send("GET /style.css HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
        #expect(answer.text.hasPrefix("HTTP/1.1 200 OK"))
        activated.signal(SIGTERM)
        #expect(await activated.ended().exit == 0)
    }

    @Test(
        "wrong usage is 64",
        arguments: [
            ["--listen", "8486"], ["--listen", "0.0.0.0:0"], ["--listen", "192.0.2.1:80"], ["--listen", "unix:x"],
            ["--allow-host", "a b"], ["--allow-host", "x:80"], ["--listen", "127.0.0.1:0", "--output", "x"],
        ])
    func usage(options: [String]) async throws {
        #expect(try await Program.start(["web"] + options).ended().exit == 64)
    }

    @Test("what cannot be listened on or written is 74, a named configuration that is not there 78")
    func faults() async throws {
        let installation = try Installation(url: "http://127.0.0.1:1")
        let taken = try await LoopbackServer.start { _ in .hang }
        let ending = try await installation.run("web", "--listen", "127.0.0.1:\(taken.port)")
        #expect(ending.exit == 74 && ending.errors.contains("in use"), "\(ending.errors)")
        await taken.stop()
        #expect(try await installation.run("web", "--output", "/proc/none").exit == 74)
        #expect(try await Program.run("web", "--config", "/nowhere/p.yaml").exit == 78)
    }
}
