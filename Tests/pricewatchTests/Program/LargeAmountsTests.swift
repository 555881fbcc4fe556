import Foundation
import MarketSimulator
import Testing

/// Volumes and market capitalisations have no bound such as prices have.
@Suite struct LargeAmountsTests {
    @Test(
        "an amount is exported as the provider states it, in plain digits, or not at all",
        arguments: [
            ("2500000000000000000000", "2500000000000000000000"), ("2.5e21", "2500000000000000000000"),
            ("1e18", "1000000000000000000"), ("1.5e18", "1500000000000000000"),
            ("9007199254740993", "9007199254740992"),
            ("1.25e-7", "0.000000125"), ("2.5e-21", "0.0000000000000000000025"), ("0", "0"), ("123.5", "123.5"),
            ("1e30", "1" + String(repeating: "0", count: 30)), ("1e400", nil), ("null", nil), ("\"7\"", nil),
        ] as [(String, String?)])
    func amounts(stated: String, exported: String?) async throws {
        let server = try await LoopbackServer.start { _ in
            .json(
                """
                [{"id":"bitcoin","symbol":"btc","name":"Bitcoin","current_price":1,"total_volume":\(stated),\
                "market_cap":\(stated)}]
                """)
        }
        let installation = try Installation(url: server.baseURL, markets: "[bitcoin]")
        #expect(try await installation.run("run", "--once").exit == 0)
        await server.stop()
        // The figures of the running hour are written down by a daemon that ends; its candle comes when it is over.
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as db:
                db.execute("UPDATE setting SET value = (SELECT max(hour) + 1 FROM stated) WHERE name = 'candles_until'")
                db.execute("INSERT INTO candle SELECT hour, series, 1, 0, 1, 0, 1, 0, 1, 0, 1, volume_24h, market_cap FROM stated")
                db.execute("UPDATE series SET newest_candle = (SELECT max(hour) FROM candle)")
            """
        if exported != nil {
            let ending = try await Program.start(["-c", script, installation.database], program: "/usr/bin/python3")
                .ended()
            #expect(ending.exit == 0, "\(ending.errors)")
        }
        let csv = try await installation.run("history", "bitcoin", "--every", "1h", "--format", "csv")
        let cells = try #require(csv.output.split(separator: "\n").last).split(
            separator: ",", omittingEmptySubsequences: false)
        #expect(cells.suffix(2).map(String.init) == [exported ?? "", exported ?? ""], "\(csv.output)\(csv.errors)")
        let json = try await installation.run("history", "bitcoin", "--every", "1h", "--json")
        #expect(json.output.contains("\"volume_24h\":\(exported ?? "null"),\"market_cap\":\(exported ?? "null")"))
        _ = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    }
}
