import Engine
import Foundation
import Glibc
import MarketSimulator
import Markets
import Testing

@testable import pricewatch

/// What a supervisor behind `$NOTIFY_SOCKET` hears, systemd or another.
@Suite struct SupervisorTests {
    @Test("ready with the first finished cycle, fed by finished ones, notified of reload and stop")
    func story() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, timeout: "20s")
        let supervisor = try Supervisor(in: installation.folder)
        let daemon = try Program.start(
            ["run", "--config", installation.configuration], environment: ["NOTIFY_SOCKET": supervisor.path])
        try await eventually("three fed") { supervisor.heard.count { $0.contains("WATCHDOG=1") } >= 3 }
        daemon.signal(SIGHUP)
        try await eventually("ready again") { supervisor.heard.count { $0.contains("READY=1") } == 2 }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()

        let heard = supervisor.heard
        #expect(heard.first?.contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") } == true)
        #expect(heard.allSatisfy { lines in !lines.contains { $0.hasPrefix("STATUS=") } || lines.count == 1 })
        let ready = try #require(heard.firstIndex { $0.contains("READY=1") })
        #expect(!heard[..<ready].contains { $0.contains("WATCHDOG=1") }, "nothing feeds the dog before READY")
        #expect(heard[ready].contains("WATCHDOG=1"))
        // Interval 1 s, a cycle of at most 20 s, and 30 s.
        #expect(heard[ready].contains("WATCHDOG_USEC=51000000"))
        #expect(heard[ready...].contains { $0[0].hasPrefix("STATUS=ok: 3 markets, polled ") })
        let reloading = try #require(heard.first { $0.contains("RELOADING=1") })
        let time = try #require(reloading.first { $0.hasPrefix("MONOTONIC_USEC=") }).dropFirst("MONOTONIC_USEC=".count)
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let age = now.tv_sec - (try #require(Int(time))) / 1_000_000
        #expect((0..<60).contains(age))
        let places = ["RELOADING=1", "STOPPING=1"].map { word in heard.firstIndex { $0.contains(word) } ?? -1 }
        #expect(places == places.sorted() && places[0] > ready)
        #expect(!heard[places[1]...].contains { $0.contains("WATCHDOG=1") })
    }

    @Test("no word of readiness while the first poll hangs, and one when it has failed by its time limit")
    func hangingStart() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.hang])
        let installation = try Installation(url: simulator.baseURL, timeout: "2s")
        let supervisor = try Supervisor(in: installation.folder)
        let daemon = try Program.start(
            ["run", "--config", installation.configuration], environment: ["NOTIFY_SOCKET": supervisor.path])
        try await eventually("ready") { supervisor.heard.contains { $0.contains("READY=1") } }
        try await eventually("the state in words") {
            supervisor.heard.contains { $0[0].hasPrefix("STATUS=failing: ") && $0[0].contains("(timeout)") }
        }
        #expect(installation.log.contains { $0.contains("poll.failed") && $0.contains("kind=timeout") })
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    /// One character to a reader who counts characters, and more bytes than a message takes.
    private static let endless = "a" + String(repeating: "\u{301}", count: 150_000)

    @Test("a market's name is not what keeps the supervisor from hearing that all is well")
    func endlessName() async throws {
        let rows = """
            [{"id":"bitcoin","symbol":"btc","name":"Bitcoin","current_price":1},\
            {"id":"\(Self.endless)","symbol":"a","name":"A","current_price":null}]
            """
        let server = try await LoopbackServer.start { _ in .json(rows) }
        let installation = try Installation(url: server.baseURL, markets: "[bitcoin], top: 2")
        try await expectFed(installation)
        await server.stop()
    }

    @Test("nor one that an earlier release wrote down")
    func rememberedName() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, markets: "[bitcoin], top: 2")
        #expect(try await installation.run("run", "--once").exit == 0)
        let script = """
            import sqlite3, sys
            name = "a" + "\\u0301" * 150000
            with sqlite3.connect(sys.argv[1]) as db:
                db.execute("UPDATE ranking SET market = ? WHERE place = 2", (name,))
                db.execute("UPDATE series SET symbol = ?1, name = ?1", (name,))
                db.execute("INSERT INTO series (market, currency, symbol, name) VALUES (?1, 'usd', '', '')", (name,))
            """
        let ending = try await Program.start(["-c", script, installation.database], program: "/usr/bin/python3").ended()
        #expect(ending.exit == 0, "\(ending.errors)")
        simulator.setFaults([.status(500)])
        try await expectFed(installation)
        await simulator.stop()
    }

    private func expectFed(_ installation: Installation) async throws {
        let supervisor = try Supervisor(in: installation.folder)
        let daemon = try Program.start(
            ["run", "--config", installation.configuration], environment: ["NOTIFY_SOCKET": supervisor.path])
        try await eventually("ready") { supervisor.heard.contains { $0.contains("READY=1") } }
        try await eventually("fed") { supervisor.heard.count { $0.contains("WATCHDOG=1") } >= 2 }
        try await eventually("the state in words") { supervisor.heard.contains { $0[0].hasPrefix("STATUS=") } }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        let status = try JSONSerialization.data(withJSONObject: try installation.status())
        #expect(status.count < 20_000)
    }

    @Test("a reason without an end is cut, and is not what READY and WATCHDOG travel with")
    func endlessReason() throws {
        let folder = try TemporaryFolder()
        let supervisor = try Supervisor(in: folder)
        let now = Date(timeIntervalSince1970: 1_795_255_200)
        var report = StatusReport()
        (report.state, report.writtenAt, report.interval) = (.degraded, now, .seconds(60))
        report.reasons = [.init(.configRejected, String(repeating: "no é\u{301} ", count: 50_000))]
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": supervisor.path])
        notifier.tell(report, finished: true, deadline: .seconds(20))
        let heard = supervisor.heard
        #expect(heard.contains { $0.contains("READY=1") && $0.contains("WATCHDOG=1") })
        let status = try #require(heard.first { $0[0].hasPrefix("STATUS=") })
        #expect(status.count == 1)
        // systemd reads no message of more than 4096 bytes.
        #expect(status[0].utf8.count <= 1024 && status[0].hasPrefix("STATUS=degraded: "))
        #expect(status[0].unicodeScalars.last == "…")
    }
}

/// The socket that a supervisor listens on; what has come in is kept by the kernel until it is asked for.
private final class Supervisor {
    let path: String
    private let descriptor: Int32
    private var messages: [[String]] = []

    init(in folder: TemporaryFolder) throws {
        path = folder.path + "/notify"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard bound == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    }

    deinit { close(descriptor) }

    /// The lines of each message so far.
    var heard: [[String]] {
        // As large as what systemd reads at once.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            messages.append(
                String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init))
        }
    }
}
