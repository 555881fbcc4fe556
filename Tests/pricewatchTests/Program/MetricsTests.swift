import Engine
import Foundation
import Glibc
import MarketSimulator
import Markets
import Testing

@Suite struct MetricsTests {
    @Test("the file has every name of the contract, and only fresh markets a price")
    func names() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: simulator.baseURL, markets: "[bitcoin, ethereum, no-such-market]",
            more: """
                metrics_file: FOLDER/pricewatch.prom
                alerts: [{name: 'with "quotes" and \\', market: bitcoin, above: 1, severity: critical}]
                """)
        let file = "pricewatch.prom"
        installation.placeMetrics()
        let daemon = try installation.start("run")
        try await eventually("a poll in the metrics") {
            installation.folder.text(file).contains(#"pricewatch_polls_total{outcome="partial"} "#)
                && !installation.folder.text(file).contains(#"pricewatch_polls_total{outcome="partial"} 0"#)
        }
        let running = installation.folder.text(file)
        let price = try #require(running.sample(#"pricewatch_price{market="bitcoin",currency="usd"}"#))
        #expect(Price(parsing: price) != nil)
        #expect(running.sample(#"pricewatch_price{market="no-such-market",currency="usd"}"#) == nil)
        #expect(running.sample(#"pricewatch_change_24h_ratio{market="bitcoin"}"#) != nil)
        #expect(running.sample(#"pricewatch_quote_timestamp_seconds{market="bitcoin"}"#) != nil)
        #expect(running.sample(#"pricewatch_markets{state="fresh"}"#) == "2")
        #expect(running.sample(#"pricewatch_markets{state="missing"}"#) == "1")
        let rule = #"pricewatch_alert_firing{rule="with \"quotes\" and \\",market="bitcoin",severity="critical"}"#
        #expect(running.sample(rule) == "1")
        #expect(running.sample(#"pricewatch_state{state="degraded"}"#) == "1")
        #expect(running.sample(#"pricewatch_state{state="ok"}"#) == "0")
        #expect(running.sample(#"pricewatch_requests_total{feed="coingecko"}"#).flatMap { Int($0) } ?? 0 > 0)
        let success = try #require(running.sample("pricewatch_last_success_timestamp_seconds").flatMap(Double.init))
        #expect(abs(success - Date().timeIntervalSince1970) < 60)
        let expires = try #require(running.sample("pricewatch_expires_timestamp_seconds").flatMap(Double.init))
        #expect(expires > success)
        #expect(running.sample("pricewatch_outbox_messages") == "0")
        #expect(running.sample("pricewatch_database_bytes").flatMap { Int($0) } ?? 0 > 0)
        #expect(running.sample(#"pricewatch_info{version="0.1.0"}"#) == "1")

        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        await simulator.stop()
        let stopped = installation.folder.text(file)
        #expect(!stopped.contains("market="))
        #expect(stopped.sample(#"pricewatch_state{state="stopped"}"#) == "1")
    }

    private static let tool = "/usr/bin/promtool"

    @Test(
        "Prometheus's own tool has nothing to say against it",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: tool),
            "promtool is not installed (Debian's package prometheus)"))
    func passesPromtool() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, more: "metrics_file: FOLDER/pricewatch.prom")
        installation.placeMetrics()
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let check = Process()
        check.executableURL = URL(fileURLWithPath: Self.tool)
        check.arguments = ["check", "metrics"]
        check.standardInput = FileHandle(forReadingAtPath: installation.folder.path + "/pricewatch.prom")
        let errors = Pipe()
        check.standardError = errors
        try check.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        check.waitUntilExit()
        #expect(said == "")
        #expect(check.terminationStatus == 0)
    }
}

extension Installation {
    /// The folder is known only once it is there.
    fileprivate func placeMetrics() {
        _ = folder.write(
            folder.text("pricewatch.yaml").replacing("FOLDER", with: folder.path), as: "pricewatch.yaml")
    }
}

extension String {
    /// The value of that sample; nil where there is none.
    fileprivate func sample(_ name: String) -> String? {
        split(separator: "\n").first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
