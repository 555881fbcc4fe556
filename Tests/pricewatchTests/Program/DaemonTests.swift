import Engine
import Foundation
import GRDB
import Glibc
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import History

@Suite struct DaemonTests {
    @Test("SIGTERM and SIGINT end it cleanly: exit 0, status stopped", arguments: [SIGTERM, SIGINT])
    func stops(signal: Int32) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        #expect(try await installation.run("status").exit == 0)
        daemon.signal(signal)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        #expect(status["state"] as? String == "stopped")
        #expect(status["pid"] is NSNull)
        #expect(status["expires_at"] is NSNull)
        let answer = try await installation.run("status")
        #expect(answer.exit == 2)
        #expect(answer.output.hasPrefix("stopped: "))
    }

    @Test("a poll that hangs has five seconds after the stop and no more")
    func stopsWhileHanging() async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [.hang])
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        await simulator.waitUntilSeen(1)
        let clock = ContinuousClock.now
        daemon.signal(SIGTERM)
        let ending = await daemon.ended()
        #expect(ending.exit == 0)
        #expect((.seconds(5)..<(.seconds(10))).contains(ending.at - clock))
        await simulator.stop()
        #expect(try installation.status()["state"] as? String == "stopped")
    }

    @Test("an endless answer is cut off, and memory stays under 60 MiB")
    func endlessAnswer() async throws {
        try await sideBySide([Fault.huge(), .huge(declaresLength: false), .gzipBomb()], Self.sendEndlessly)
    }

    private static func sendEndlessly(_ fault: Fault) async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [fault])
        let name = String("\(fault)".prefix(80))
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        await simulator.waitUntilSeen(6)
        let peak = try #require(daemon.peakKiB)
        // A debug build holds 11 MiB more before it has polled at all (49 against 38).
        #expect(peak < (Program.named == nil ? 71 : 60) * 1024, "\(name)")
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(try installation.lastPollError?["kind"] as? String == "too_large", "\(name)")
        #expect(try installation.samples() == 0, "\(name)")
    }

    @Test("a second daemon on the same database is refused with 75 and disturbs nothing")
    func secondDaemon() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        for arguments in [["run"], ["run", "--once"]] {
            let second = try await Program.start(arguments + ["--config", installation.configuration]).ended()
            #expect(second.exit == 75)
            #expect(second.errors.contains("pid \(daemon.pid)"))
        }
        #expect(try await installation.run("status").exit == 0)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("killed, it is missed at once, and its status has expired")
    func missed() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        daemon.signal(SIGKILL)
        #expect(await daemon.ended().exit == -SIGKILL)
        await simulator.stop()
        let answer = try await installation.run("status", "--json")
        #expect(answer.exit == 2)
        #expect(try await installation.run("status", "--exit-on", "failing").exit == 2)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any])
        #expect(json["exit"] as? Int == 2)
        #expect(json["expired"] as? Bool == true)
    }

    /// Each start waits a second for its poll: four daemons, five times each.
    @Test("killed twenty times in the middle of its work: nothing lost, nothing said twice, the database whole")
    func killed() async throws {
        try await sideBySide(0..<4) { _ in try await Self.kill(times: 5) }
    }

    private static func kill(times: Int) async throws {
        let path = ["95", "105", "110", "99", "90", "105"].compactMap { Price(parsing: $0) }
        let simulator = try await CoinGeckoSimulator.start(script: [try MarketID("bitcoin"): path])
        let installation = try Installation(
            url: simulator.baseURL, more: "alerts: [{name: high, market: bitcoin, above: 100}]")
        var recorded: Int64 = 0
        for _ in 0..<times {
            let seen = simulator.requestCount
            let daemon = try installation.start("run")
            await simulator.waitUntilSeen(seen + 1)
            // Somewhere between the answer and what follows the commit.
            try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000)))
            daemon.signal(SIGKILL)
            _ = await daemon.ended()
            let samples = try installation.samples()
            #expect(samples >= recorded)
            recorded = samples
        }
        await simulator.stop()
        let reader = try HistoryReader(at: installation.folder.path + "/history.db")
        let verdict = try await reader.queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(verdict == "ok")
        let logged = installation.log.filter { $0.contains(" poll.ok ") }.count
        #expect(recorded >= Int64(3 * logged), "every poll that was logged is recorded")
        let announced = installation.log.filter { $0.contains(" alert.") }
        let ids = announced.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("event_id=") }.map(String.init)
        }
        #expect(Set(ids).count == ids.count, "nothing is said twice")
        let kinds = announced.compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) }
        for (earlier, later) in zip(kinds, kinds.dropFirst()) {
            #expect(earlier != later, "firing and resolved alternate")
        }
    }
}
