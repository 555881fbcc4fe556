import Engine
import Foundation
import MarketSimulator
import Markets
import TestSupport
import Testing

@Suite struct OncePollTests {
    @Test("one poll: exit 0, one poll recorded, a status as the contract has it")
    func succeeds() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL)
        let ending = try await installation.run("run", "--once")
        await simulator.stop()
        #expect(ending.exit == 0, "\(ending.errors)")
        #expect(simulator.requestCount == 1)
        #expect(try installation.samples() == 3)
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        #expect(status["state"] as? String == "ok")
        #expect(status["pid"] is NSNull)
        #expect(status["next_poll_at"] is NSNull)
        #expect(status["expires_at"] as? String == status["written_at"] as? String)
        #expect(installation.log.contains { $0.contains(" info poll.ok feed=coingecko markets=3 took_ms=") })
        #expect(try await installation.run("status").exit == 2, "no daemon runs")
    }

    @Test("a refused port: not zero, failing with kind connect, no price recorded")
    func refused() async throws {
        let closed = try ClosedPort()
        let installation = try Installation(url: closed.baseURL)
        #expect(try await installation.run("run", "--once").exit == 69)
        withExtendedLifetime(closed) {}
        let status = try installation.status()
        #expect(StatusContract.faults(in: status) == [])
        #expect(status["state"] as? String == "failing")
        #expect(try installation.lastPollError?["kind"] as? String == "connect")
        #expect(try installation.samples() == 0)
    }

    @Test("each failure has its kind, and records nothing", arguments: FailingAnswer.all)
    func fails(answer: FailingAnswer) async throws {
        let simulator = try await CoinGeckoSimulator.start(faults: [answer.fault])
        let installation = try Installation(url: simulator.baseURL, timeout: answer.timeout)
        let ending = try await installation.run("run", "--once")
        await simulator.stop()
        #expect(ending.exit == 69, "\(ending.errors)")
        #expect(try installation.status()["state"] as? String == "failing")
        #expect(try installation.lastPollError?["kind"] as? String == answer.kind)
        #expect(try installation.lastPollError?["retryable"] as? Bool == answer.retryable)
        #expect(try installation.samples() == 0)
    }

    @Test(
        "where no answer comes at all, too",
        arguments: [("https://no-such-host.invalid/api", "dns"), ("https://127.0.0.1:PORT/api/v3", "tls")])
    func unreachable(url: String, kind: String) async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(
            url: url.replacing("PORT", with: "\(simulator.port)"), timeout: "55s")
        #expect(try await installation.run("run", "--once").exit == 69)
        await simulator.stop()
        #expect(try installation.lastPollError?["kind"] as? String == kind)
        #expect(try installation.samples() == 0)
    }

    @Test(
        "a price goes in and comes out the same, without an exponent",
        arguments: ["0.1", "0.000000001206", "77123.45", "123456789.123456789", "0.000000000000000001"])
    func exact(text: String) async throws {
        let price = try #require(Price(parsing: text))
        let simulator = try await CoinGeckoSimulator.start(script: [try MarketID("bitcoin"): [price]])
        let installation = try Installation(url: simulator.baseURL, markets: "[bitcoin]")
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let csv = try await installation.run("history", "bitcoin", "--format", "csv").output
        let rows = csv.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        #expect(rows.count == 2)
        #expect(rows.last?[3] == text)
    }

    @Test("a market that is not answered is missing, the poll partial, the others live")
    func missing() async throws {
        let simulator = try await CoinGeckoSimulator.start()
        let installation = try Installation(url: simulator.baseURL, markets: "[bitcoin, no-such-coin]")
        #expect(try await installation.run("run", "--once").exit == 0)
        await simulator.stop()
        let status = try installation.status()
        #expect(status["state"] as? String == "degraded")
        let markets = try #require(status["markets"] as? [[String: Any]])
        #expect(markets.map { $0["state"] as? String } == ["fresh", "missing"])
        #expect(markets.last?["reason"] as? String == "not_answered")
        #expect(markets.last?["price"] is NSNull)
    }

    @Test("a price whose time cannot be read is unknown, with a reason, and fires nothing")
    func unreadableTime() async throws {
        let rows = [("bitcoin", #""yesterday""#), ("ethereum", "null"), ("tether", #""""#)].map {
            #"{"id":"\#($0)","symbol":"x","name":"X","current_price":7,"last_updated":\#($1)}"#
        }
        let server = try await LoopbackServer.start { _ in .json("[\(rows.joined(separator: ","))]") }
        let installation = try Installation(
            url: server.baseURL, more: "alerts: [{name: high, markets: all, above: 1}]")
        #expect(try await installation.run("run", "--once").exit == 0)
        await server.stop()
        let markets = try #require(try installation.status()["markets"] as? [[String: Any]])
        #expect(markets.map { $0["state"] as? String } == ["unknown", "fresh", "unknown"])
        #expect(markets.map { $0["reason"] as? String } == ["bad_price", nil, "bad_price"])
        #expect(markets.map { $0["price"] as? String } == [nil, "7", nil])
        #expect(try installation.samples() == 1)
        let firings = installation.log.filter { $0.contains(" alert.firing ") }
        #expect(firings.count == 1 && firings[0].contains("market=ethereum"), "\(firings)")
    }
}
