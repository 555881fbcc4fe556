import Foundation
import GRDB
import Glibc
import MarketSimulator
import Testing

/// Another program keeps the database locked, for a moment or for ever: polls keep their rhythm, signals are heard.
@Suite struct BusyDatabaseTests {
    /// A process of its own that holds a lock until it is let go.
    private final class Holder {
        private let process = Process()
        private let input = Pipe()

        init(_ script: String, _ path: String) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            process.arguments = [
                "-c", script + "\nsys.stdout.write('held'); sys.stdout.flush(); sys.stdin.read()", path,
            ]
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            try #require(said == "held")
        }

        func letGo() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// What a member of the group could do, and what another writer does.
    enum Lock: String, CaseIterable {
        case byteOfSharedMemory = """
            import fcntl, sys
            f = open(sys.argv[1] + '-shm', 'rb')
            fcntl.lockf(f, fcntl.LOCK_SH, 8, 120)
            """
        case transaction = """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1], isolation_level=None)
            db.execute('BEGIN IMMEDIATE')
            """
    }

    private func polls(_ installation: Installation) -> Int {
        installation.log.count { $0.contains(" poll.ok ") || $0.contains(" poll.unchanged ") }
    }

    private func recorded(_ installation: Installation) throws -> Int {
        let queue = try DatabaseQueue(path: installation.database)
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM poll") ?? -1 }
    }

    @Test("for ever: polls keep their rhythm, status is degraded, SIGTERM ends it in time")
    func forEver() async throws {
        try await sideBySide(Lock.allCases, lockForEver)
    }

    private func lockForEver(_ lock: Lock) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { polls(installation) > 0 }
        let holder = try Holder(lock.rawValue, installation.database)
        let clock = ContinuousClock.now
        let before = polls(installation)
        try await eventually("four polls") { polls(installation) >= before + 4 }
        // One a second; what else keeps the machine busy may cost some, a wait for the lock would cost five each.
        #expect(ContinuousClock.now - clock < .seconds(10), "\(lock)")
        try await eventually("degraded by \(lock)") { try installation.reasons == ["not_recording"] }
        #expect(try await installation.run("status").exit == 1, "\(lock)")
        let stop = ContinuousClock.now
        daemon.signal(SIGTERM)
        let ending = await daemon.ended()
        #expect(ending.exit == 0)
        #expect(ending.at - stop < .seconds(5), "\(lock)")
        #expect(try installation.status()["state"] as? String == "stopped")
        try holder.letGo()
        await simulator.stop()
    }

    @Test("for some polls: what was not recorded is recorded with the next that can be, and nothing is lost")
    func forAWhile() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { polls(installation) > 0 }
        let holder = try Holder(Lock.transaction.rawValue, installation.database)
        let before = polls(installation)
        try await eventually("three polls") { polls(installation) >= before + 3 }
        try await eventually("degraded") { try installation.reasons == ["not_recording"] }
        try holder.letGo()
        try await eventually("recording again") { try installation.reasons == [] }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(try recorded(installation) == polls(installation))
        #expect(try installation.samples() == 3 * polls(installation))
        #expect(installation.log.count { $0.contains(" history.not_recording ") } == 1)
    }

    @Test("at the start: it polls from memory, degraded, and records once it can")
    func atTheStart() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        #expect(try await installation.run("run", "--once").exit == 0)
        let holder = try Holder(Lock.transaction.rawValue, installation.database)
        let daemon = try installation.start("run")
        let before = polls(installation)
        try await eventually("three polls") { polls(installation) >= before + 3 }
        try await eventually("degraded") { try installation.reasons == ["not_recording"] }
        try holder.letGo()
        try await eventually("recording") { try installation.reasons == [] }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }
}
