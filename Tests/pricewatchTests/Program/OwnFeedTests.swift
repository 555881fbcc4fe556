import Foundation
import Glibc
import MarketSimulator
import Testing

/// Feeds of single markets, as a user runs them.
@Suite struct OwnFeedTests {
    /// - Parameters:
    ///   - stocks: the server of the feed `stocks`.
    ///   - timeout: of a request.
    private func installation(_ coins: String, _ stocks: String, timeout: String = "20s") throws -> Installation {
        let installation = try Installation(url: coins)
        let text = """
            watch: {markets: [bitcoin, {id: tether, feed: stocks}]}
            feeds:
              - {provider: coingecko, url: "\(coins)"}
              - name: stocks
                provider: json
                every: 1h
                quota_month: 100
                url: "\(stocks)/coins/markets?vs_currency={currency}&ids={ids}"
                fields: {id: /id, price: /current_price}
            poll: {every: 1s, timeout: \(timeout), retry: {attempts: 1}}
            history: {database: \(installation.folder.path)/history.db}
            log: {file: \(installation.folder.path)/pricewatch.log}
            status_file: \(installation.folder.path)/status.json
            """
        _ = installation.folder.write(text, as: "pricewatch.yaml")
        return installation
    }

    @Test("a single poll asks every feed, and each price names its feed")
    func once() async throws {
        let coins = try await CoinGeckoSimulator.start()
        let stocks = try await CoinGeckoSimulator.start()
        let installation = try installation(coins.baseURL, stocks.baseURL)
        for _ in 0..<2 { #expect(try await installation.run("run", "--once").exit == 0) }
        #expect((coins.requestCount, stocks.requestCount) == (2, 2))
        await coins.stop()
        await stocks.stop()
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        let markets = try #require(status["markets"] as? [[String: Any]])
        #expect(markets.map { $0["feed"] as? String } == ["coingecko", "stocks"])
        #expect(try await installation.run("history", "tether", "--format", "csv").output.contains(",stocks,"))
    }

    @Test("one that hangs costs a single poll its own price alone")
    func hangs() async throws {
        let coins = try await CoinGeckoSimulator.start()
        let stocks = try await CoinGeckoSimulator.start(faults: [.hang])
        let installation = try installation(coins.baseURL, stocks.baseURL, timeout: "4s")
        #expect(try await installation.run("run", "--once").exit == 0)
        await coins.stop()
        await stocks.stop()
        let poll = try #require(try installation.status()["last_poll"] as? [String: Any])
        #expect(poll["outcome"] as? String == "partial" && poll["feed"] as? String == "coingecko")
        #expect(try installation.lastPollError?["kind"] as? String == "timeout")
    }

    @Test("a reload keeps the moment at which a slow feed is due")
    func reload() async throws {
        let coins = try await CoinGeckoSimulator.start()
        let stocks = try await CoinGeckoSimulator.start()
        let installation = try installation(coins.baseURL, stocks.baseURL)
        let daemon = try installation.start("run")
        try await eventually("a first poll") { installation.log.contains { $0.contains("poll.ok feed=stocks") } }
        let text = installation.folder.text("pricewatch.yaml").replacing("log: {", with: "log: {level: debug, ")
        _ = installation.folder.write(text, as: "pricewatch.yaml")
        daemon.signal(SIGHUP)
        try await eventually("the new configuration") { installation.log.count { $0.contains("config.loaded") } == 2 }
        let polls = coins.requestCount
        try await eventually("further polls") { coins.requestCount > polls + 1 }
        daemon.signal(SIGTERM)
        #expect(await daemon.ended().exit == 0)
        #expect(stocks.requestCount == 1)
        await coins.stop()
        await stocks.stop()
    }

    @Test("check shows what each feed is asked for and costs; with --online it asks each")
    func check() async throws {
        let coins = try await CoinGeckoSimulator.start()
        let stocks = try await CoinGeckoSimulator.start()
        let installation = try installation(coins.baseURL, stocks.baseURL)
        let seen = try await installation.run("check", "--online")
        await coins.stop()
        await stocks.stop()
        #expect(seen.exit == 0)
        #expect(seen.output.contains(/asks:          coingecko \(plan public, at http:\/\/127.0.0.1:\d+\) every 1s/))
        #expect(
            seen.output.contains(/asks:          stocks \(json, at http:\/\/127.0.0.1:\d+\) every 1h, alone for tether/)
        )
        #expect(seen.output.contains("costs:         1 request a poll, 744 a month (quota 100)"))
        #expect(seen.output.contains("(set every of the feed stocks to 7h26m24s or more)"))
        #expect(seen.output.contains("online:        bitcoin: Bitcoin "))
        #expect(seen.output.contains("online:        stocks: host and key are accepted"))
    }

    @Test("check --online names the ids that a provider does not know, and ends with 69")
    func unknownIDs() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, markets: "[bitcoin, bitcion, zzzzzzzz]")
        let seen = try await installation.run("check", "--online")
        #expect(seen.exit == 69)
        #expect(
            seen.errors == """
                check coingecko: there is no bitcion (did you mean bitcoin?)
                check coingecko: there is no zzzzzzzz

                """)
        #expect(seen.output.contains("online:        bitcoin: Bitcoin "))
        // Each once.
        #expect(!seen.output.contains("there is no"))
        let json = try await installation.run("check", "--online", "--json")
        #expect(json.exit == 69 && json.output.contains("there is no bitcion"))
        #expect(try await installation.run("check").exit == 0, "offline nothing is known of it")
        await simulator.stop()
    }

    @Test("check --online says which form a feed's times have")
    func timeFormat() async throws {
        let server = try await LoopbackServer.start { _ in .json(#"{"p":"2650.5","t":1795255200}"#) }
        let installation = try Installation(url: server.baseURL)
        let text = installation.folder.text("pricewatch.yaml")
        _ = installation.folder.write(
            "watch: {markets: [gold]}\nfeeds: [{provider: json, url: \"\(server.baseURL)/spot\", currency: usd, "
                + "fields: {price: /p, quoted_at: /t}}]\n"
                + text.split(separator: "\n").filter { $0.hasPrefix("history:") || $0.hasPrefix("log:") }
                .joined(separator: "\n"), as: "pricewatch.yaml")
        let seen = try await installation.run("check", "--online")
        #expect(seen.exit == 69)
        #expect(seen.errors.contains("set time_format: epoch_s"), "\(seen.errors)")
        await server.stop()
    }

    @Test("where no feed has a name for any market, that is why they are missing, and nothing is sent")
    func nothingMapped() async throws {
        let installation = try Installation(url: "http://127.0.0.1:9")
        let text = installation.folder.text("pricewatch.yaml").replacing(
            "{provider: coingecko,", with: "{provider: binance,")
        _ = installation.folder.write(text, as: "pricewatch.yaml")
        #expect(try await installation.run("run", "--once").exit == 69)
        let status = try installation.status()
        let markets = try #require(status["markets"] as? [[String: Any]])
        #expect(markets.allSatisfy { $0["state"] as? String == "missing" && $0["reason"] as? String == "no_mapping" })
        #expect(try installation.lastPollError?["kind"] as? String == "empty")
        #expect((status["last_poll"] as? [String: Any])?["attempts"] as? Int == 0)
    }
}
