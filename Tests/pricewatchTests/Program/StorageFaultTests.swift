import Foundation
import Glibc
import MarketSimulator
import TestSupport
import Testing

/// The disk fails, the daemon does not: it goes on polling, says so, and records again by itself.
@Suite struct StorageFaultTests {
    private func count(_ event: String, in installation: Installation) -> Int {
        installation.log.count { $0.contains(" \(event) ") || $0.hasSuffix(" \(event)") }
    }

    private func waitForState(_ state: String, _ reasons: [String], in installation: Installation) async throws {
        try await eventually("\(state) \(reasons)") {
            guard let status = try? installation.status() else { return false }
            return try status["state"] as? String == state && installation.reasons == reasons
        }
    }

    /// Asks go on, and their answers are shown.
    private func expectPolling(_ simulator: CoinGeckoSimulator, _ installation: Installation) async throws {
        let before = try installation.status()["last_poll"] as? [String: Any]
        await simulator.waitUntilSeen(simulator.requestCount + 2)
        try await eventually("a later poll in the status") {
            let poll = try installation.status()["last_poll"] as? [String: Any]
            return poll?["at"] as? String != before?["at"] as? String && poll?["outcome"] as? String == "ok"
        }
        #expect(StatusContract.faults(in: try installation.status()) == [])
    }

    @Test("a damaged database is set aside at the start, and status says so until its owner has decided")
    func damaged() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let bytes = Data((0..<8192).map { _ in UInt8.random(in: 0...255) })
        try bytes.write(to: URL(fileURLWithPath: installation.database))
        let daemon = try installation.start("run")
        try await eventually("a first poll") { count("poll.ok", in: installation) > 0 }
        try await waitForState("degraded", ["database_replaced"], in: installation)
        let answer = try await installation.run("status")
        #expect(answer.exit == 1)
        #expect(answer.output.contains("damaged"))
        let aside = try #require(
            try FileManager.default.contentsOfDirectory(atPath: installation.folder.path).first {
                $0.hasPrefix("history.db.damaged-")
            })
        #expect(FileManager.default.contents(atPath: "\(installation.folder.path)/\(aside)") == bytes)
        #expect(try installation.samples() > 0)
        #expect(count("history.replaced", in: installation) == 1)

        try FileManager.default.removeItem(atPath: "\(installation.folder.path)/\(aside)")
        try await waitForState("ok", [], in: installation)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("the disk fills while it runs: it polls on, degraded, and records again once there is room")
    func fullDisk() async throws {
        guard let disk = try SmallDisk() else { return }
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, database: disk.database)
        let daemon = try installation.start("run")
        try await waitForState("ok", [], in: installation)
        disk.fill()
        try await waitForState("degraded", ["not_recording"], in: installation)
        #expect(try await installation.run("status").exit == 1)
        let recorded = try installation.samples()
        #expect(recorded > 0)
        try await expectPolling(simulator, installation)
        #expect(try installation.samples() == recorded)

        try disk.empty()
        try await waitForState("ok", [], in: installation)
        #expect(try installation.samples() > recorded)
        #expect(count("history.not_recording", in: installation) == 1)
        #expect(count("history.recording", in: installation) == 1)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a start on a disk that cannot be written: it polls, degraded, and records once it can")
    func readOnlyDisk() async throws {
        guard let disk = try SmallDisk() else { return }
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, database: disk.database)
        #expect(try await installation.run("run", "--once").exit == 0)
        guard disk.remount(readOnly: true) else { return print("skipped: the small disk cannot be made read-only") }
        let daemon = try installation.start("run")
        try await waitForState("degraded", ["not_recording"], in: installation)
        try await expectPolling(simulator, installation)
        #expect(try await installation.run("history", "bitcoin").exit == 0)
        #expect(try installation.samples() == 3)

        #expect(disk.remount(readOnly: false))
        try await waitForState("ok", [], in: installation)
        #expect(try installation.samples() > 3)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }
}
