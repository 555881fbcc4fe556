import Foundation
import MarketSimulator
import Testing

/// A share in dollars beside a coin in euros, as the commands show them.
@Suite struct ForeignCurrencyTests {
    /// - Parameters:
    ///   - currency: what the feed `stocks` says that it quotes in.
    ///   - more: further keys of the market bitcoin.
    private func write(
        _ installation: Installation, _ coins: String, _ stocks: String, in currency: String = "usd", more: String = ""
    ) {
        let folder = installation.folder.path
        let text = """
            currency: eur
            watch: {markets: [{id: bitcoin\(more)}, {id: tether, feed: stocks}]}
            feeds:
              - {provider: coingecko, url: "\(coins)"}
              - {name: stocks, provider: json, url: "\(stocks)/coins/markets?vs_currency=usd&ids={ids}",
                 fields: {id: /id, price: /current_price, symbol: /symbol}, currency: \(currency)}
            poll: {every: 1s, retry: {attempts: 1}}
            alerts: [{name: high, market: tether, above: 0.1}]
            history: {database: \(folder)/history.db, backfill: null}
            log: {file: \(folder)/pricewatch.log}
            status_file: \(folder)/status.json
            metrics_file: \(folder)/pricewatch.prom

            """
        _ = installation.folder.write(text, as: "pricewatch.yaml")
    }

    private func scene(
        _ body: (Installation, _ coins: String, _ stocks: String) async throws -> Void
    ) async throws {
        let coins = try await CoinGeckoSimulator.start()
        let stocks = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: coins.baseURL)
        write(installation, coins.baseURL, stocks.baseURL)
        try await body(installation, coins.baseURL, stocks.baseURL)
        await coins.stop()
        await stocks.stop()
    }

    @Test("every command shows each price with its own")
    func commands() async throws {
        try await scene { installation, _, _ in
            for _ in 0..<2 { #expect(try await installation.run("run", "--once").exit == 0) }
            let markets = try #require(try installation.status()["markets"] as? [[String: Any]])
            #expect(markets.map { $0["currency"] as? String } == ["eur", "usd"])

            let status = try await installation.run("status").output
            #expect(status.contains(/bitcoin +BTC +[\d,.]+ eur\s/), "\(status)")
            #expect(status.contains(/tether +USDT +[\d.]+ usd\s/), "\(status)")

            let csv = try await installation.run("history", "--all", "--format", "csv").output
            let rows = csv.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[4] }
            #expect(Set(rows) == ["eur", "usd"], "\(csv)")
            let json = try await installation.run("history", "tether", "--json").output
            #expect(json.contains(#""currency":"usd""#) && !json.contains("eur"), "\(json)")
            let candles = try await installation.run("history", "tether", "--every", "1h", "--format", "csv").output
            #expect(candles.contains("\ntether,usd,"), "\(candles)")

            #expect(try await installation.run("chart", "tether").output.contains("(USDT) in usd"))
            let picture = installation.folder.path + "/c.svg"
            #expect(try await installation.run("chart", "bitcoin", "--output", picture).exit == 0)
            #expect(installation.folder.text("c.svg").contains("in eur"))

            let summary = try await installation.run("summary").output
            #expect(summary.contains(": 2 markets in eur, usd"), "\(summary)")
            let alerts = try await installation.run("alerts").output
            #expect(alerts.contains(/high +tether +[\d.]+ usd/), "\(alerts)")
            let rehearsal = try await installation.run("rehearse").output
            #expect(rehearsal.contains(/tether +[\d.]+ usd/), "\(rehearsal)")
            let check = try await installation.run("check", "--online").output
            #expect(check.contains("in eur, and tether in usd\n"), "\(check)")
            #expect(check.contains(/online:        tether: .*[\d.]+ usd\n/), "\(check)")
            let checked = try await installation.run("check", "--json").output
            #expect(checked.contains(#""role":"own","currency":"usd""#), "\(checked)")
        }
    }

    @Test("a running daemon exports each price with its own")
    func metrics() async throws {
        try await scene { installation, _, _ in
            let daemon = try installation.start("run")
            try await eventually("both prices") {
                let text = installation.folder.text("pricewatch.prom")
                return text.contains(#"pricewatch_price{market="bitcoin",currency="eur"}"#)
                    && text.contains(#"pricewatch_price{market="tether",currency="usd"}"#)
            }
            daemon.signal(SIGTERM)
            #expect(await daemon.ended().exit == 0)
        }
    }

    @Test("a standby in another currency is refused, with its place and what to do")
    func standby() async throws {
        try await scene { installation, coins, stocks in
            write(installation, coins, stocks, more: ", stocks: BTC")
            for command in ["check", "run"] {
                let ending = try await installation.run(command)
                #expect(ending.exit == 78)
                let place = "pricewatch.yaml:6:"
                #expect(ending.errors.contains(place), "\(ending.errors)")
                #expect(
                    ending.errors.contains(
                        ": feeds[1].currency: usd is not eur: stocks cannot stand in for coingecko with the price of "
                            + "bitcoin (say {id: bitcoin, feed: stocks}"), "\(ending.errors)")
            }
        }
    }

    @Test("after an edit of the currency a new series begins, and the old one can be read")
    func edited() async throws {
        try await scene { installation, coins, stocks in
            #expect(try await installation.run("run", "--once").exit == 0)
            write(installation, coins, stocks, in: "gbp")
            // Nothing is recorded in the new one yet.
            #expect(try await installation.run("history", "tether", "--format", "csv").output.contains(",usd,"))
            #expect(try await installation.run("run", "--once").exit == 0)
            func currencies(_ arguments: String...) async throws -> Set<Substring> {
                let csv = try await Program.start(
                    ["history", "--format", "csv", "--config", installation.configuration] + arguments
                ).ended().output
                return Set(csv.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[4] })
            }
            #expect(try await currencies("tether") == ["gbp"])
            #expect(try await currencies("tether", "--currency", "USD") == ["usd"])
            #expect(try await currencies("--all") == ["eur", "gbp"])
            #expect(try await currencies("--all", "--currency", "usd") == ["usd"])
            let chart = try await installation.run("chart", "tether", "--currency", "usd")
            #expect(chart.output.contains("in usd"))
            let missing = try await installation.run("history", "tether", "--currency", "chf")
            #expect(missing.exit == 65)
            #expect(missing.errors.contains("find the market tether in chf: it is recorded in usd, gbp"))
            #expect(try await installation.run("history", "tether", "--currency", "x").exit == 64)

            let forgotten = try await installation.run("forget", "tether", "--yes").output
            #expect(forgotten.contains("deleted 2 samples"), "\(forgotten)")
        }
    }
}
