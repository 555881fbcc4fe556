import Engine
import Foundation
import Glibc
import MarketSimulator
import Markets
import Testing

@Suite struct ReloadTests {
    @Test("a good file takes effect in the same process, with everything that is known")
    func good() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let startedAt = try installation.status()["started_at"] as? String
        installation.edit {
            $0.replacing("[bitcoin, ethereum, tether]", with: "[bitcoin, solana]")
                .replacing("log: {", with: "log: {level: debug, format: json, ")
        }
        daemon.signal(SIGHUP)
        try await eventually("two markets in the status") { try installation.marketsShown == ["bitcoin", "solana"] }
        try await eventually("lines in the new format") {
            installation.log.contains { $0.contains(#""event":"poll.ok""#) && $0.contains(#""markets":2"#) }
        }
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        #expect(status["pid"] as? Int == Int(daemon.pid))
        #expect(status["started_at"] as? String == startedAt)
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a bad file changes nothing, is logged, and shows in the status until it is corrected")
    func bad() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        installation.edit { $0.replacing("every: 1s", with: "evrey: 1s") }
        daemon.signal(SIGHUP)
        try await eventually("config.rejected") {
            installation.log.contains { $0.contains("error config.rejected") && $0.contains("did you mean poll.every") }
        }
        try await eventually("a degraded status") { try installation.status()["state"] as? String == "degraded" }
        let reasons = try installation.status()["reasons"] as? [[String: Any]]
        #expect(reasons?.map { $0["code"] as? String } == ["config_rejected"])
        let polls = simulator.requestCount
        try await eventually("further polls") { simulator.requestCount > polls + 1 }
        let answer = try await installation.run("status")
        #expect(answer.exit == 1)
        #expect(answer.output.hasPrefix("degraded: "))
        #expect(answer.errors.contains("the configuration is faulty"))
        let check = try await installation.run("status", "--json", "--exit-on", "failing")
        #expect(check.exit == 0 && check.output.hasSuffix(",\"exit\":0}\n"), "degraded is not dead")
        installation.edit { $0.replacing("evrey: 1s", with: "every: 1s") }
        #expect(try await installation.run("status").exit == 1)
        daemon.signal(SIGHUP)
        try await eventually("ok again") { try installation.status()["state"] as? String == "ok" }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a firing alert is not announced again; one whose rule is gone is resolved once, with that reason")
    func alerts() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL,
            more: """
                alerts:
                  - {name: stays, market: bitcoin, above: 1}
                  - {name: goes, market: bitcoin, above: 2}
                """)
        let daemon = try installation.start("run")
        try await eventually("two alerts") { installation.log.count { $0.contains(" alert.firing ") } == 2 }
        installation.edit { $0.replacing("  - {name: goes, market: bitcoin, above: 2}", with: "") }
        daemon.signal(SIGHUP)
        try await eventually("its end") { installation.log.contains { $0.contains(" alert.resolved ") } }
        let polls = simulator.requestCount
        try await eventually("further polls") { simulator.requestCount > polls + 1 }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(installation.log.count { $0.contains(" alert.firing ") } == 2)
        let ends = installation.log.filter { $0.contains(" alert.resolved ") }
        #expect(ends.count == 1)
        #expect(ends.first?.contains("rule=goes") == true)
        #expect(ends.first?.contains("reason=removed") == true)
    }

    @Test("a longer interval keeps the promise of the old one: the status does not expire in between")
    func longerInterval() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, timeout: "1s")
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        installation.edit { $0.replacing("every: 1s", with: "every: 5m") }
        daemon.signal(SIGHUP)
        try await eventually("the interval in the status") {
            let status = try installation.status()
            let expires = (status["expires_at"] as? String).flatMap { Date(utcText: $0) }
            return status["interval_s"] as? Int == 300 && expires.map { $0 > Date() + 300 } == true
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }

    @Test("a key that cannot change in a running process waits for a restart, and the log says so")
    func waitsForRestart() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        installation.edit {
            $0.replacing("history.db", with: "other.db").replacing("status.json", with: "other.json")
        }
        daemon.signal(SIGHUP)
        try await eventually("the word of it") {
            installation.log.contains {
                $0.contains("in force only after a restart: history.database, status_file")
            }
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        #expect(try installation.status()["state"] as? String == "stopped")
        #expect(installation.folder.text("other.json").isEmpty)
    }

    @Test("the log file is opened anew")
    func reopens() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok") } }
        let log = installation.folder.path + "/pricewatch.log"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        daemon.signal(SIGHUP)
        try await eventually("a new log") { installation.log.contains { $0.contains("config.loaded") } }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
    }
}

extension Installation {
    func edit(_ change: (String) -> String) {
        _ = folder.write(change(folder.text("pricewatch.yaml")), as: "pricewatch.yaml")
    }

    fileprivate var marketsShown: [String] {
        get throws { (try status()["markets"] as? [[String: Any]] ?? []).compactMap { $0["market"] as? String } }
    }
}
