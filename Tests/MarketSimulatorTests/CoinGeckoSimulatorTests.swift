import Foundation
import Markets
import Testing

@testable import MarketSimulator

@Suite struct CoinGeckoSimulatorTests {
    private static let now = Date(milliseconds: 1_795_262_400_123)

    @Test func answersRowsOfTheRealShape() async throws {
        let fixture = URL(filePath: #filePath).appending(path: "../../../../shared/fixtures/coingecko").standardized
            .appending(path: "markets-btc-2024-net.json")
        guard let recorded = try? Data(contentsOf: fixture) else {
            print("skipped: \(fixture.path) is absent")
            return
        }
        let rows = try JSONSerialization.jsonObject(with: recorded) as? [[String: Any]]
        let real = try #require(rows?.first)
        try await withSimulator(.start()) { simulator async throws in
            for row in try await get(simulator.marketsURL).rows { #expect(Set(row.keys) == Set(real.keys)) }
        }
    }

    @Test func statesTimesOfTheSimulatedClock() async throws {
        try await withSimulator(.start(now: { Self.now })) { simulator async throws in
            let answer = try await get(simulator.marketsURL + "&ids=bitcoin")
            #expect(try answer.rows.first?["last_updated"] as? String == "2026-11-21T12:00:00.123Z")
            #expect(answer.headers["date"] == "Sat, 21 Nov 2026 12:00:00 GMT")
            #expect(simulator.requests.first?.at == Self.now)
        }
    }

    @Test func twoRunsOfOneSeedAgreeAnswerByAnswer() async throws {
        func run(seed: UInt64) async throws -> [[String]] {
            try await withSimulator(.start(seed: seed)) { simulator async throws in
                var answers: [[String]] = []
                for _ in 0..<3 { answers.append(try await get(simulator.marketsURL).priceTexts) }
                return answers
            }
        }
        let first = try await run(seed: 4)
        #expect(first.allSatisfy { $0.count == 100 })
        #expect(first[0] != first[1] && first[1] != first[2])
        #expect(try await run(seed: 4) == first)
        #expect(try await run(seed: 5) != first)
    }

    @Test func pricesInAnAnswerAreThoseOfTheStep() async throws {
        try await withSimulator(.start()) { simulator async throws in
            for step in 0..<3 {
                let rows = try await get(simulator.marketsURL)
                let expected = simulator.markets.prefix(100).map { simulator.price(of: $0.id, step: step) }
                #expect(rows.priceTexts.map { Price(parsing: $0) } == expected)
            }
        }
    }

    @Test func pagesAreOfOneStepAndDoNotOverlap() async throws {
        try await withSimulator(.start(markets: 260)) { simulator async throws in
            var ids: [String] = []
            for page in 1...4 {
                let rows = try await get(simulator.marketsURL + "&per_page=100&page=\(page)").rows
                ids += rows.compactMap { $0["id"] as? String }
                #expect(rows.count == [100, 100, 60, 0][page - 1])
            }
            #expect(ids == simulator.markets.map(\.id.text))
            let second = try await get(simulator.marketsURL + "&per_page=250&page=2").priceTexts.first
            #expect(second == simulator.price(of: id("market-251"), step: 0)?.description)
            #expect(try await get(simulator.marketsURL + "&per_page=9999").rows.count == 250)
        }
    }

    @Test(arguments: [
        ("ids=tether,bitcoin", ["bitcoin", "tether"]), ("ids=bitcoin,nonsense", ["bitcoin"]),
        ("ids=bitcoin,%20tether", ["bitcoin", "tether"]), ("ids=nonsense", []),
        ("ids=bitcoin,tether&per_page=1&page=2", ["tether"]),
    ])
    func answersTheIdsItKnows(query: String, ids: [String]) async throws {
        try await withSimulator(.start()) { simulator async throws in
            let rows = try await get(simulator.marketsURL + "&" + query).rows
            #expect(rows.map { $0["id"] as? String } == ids)
        }
    }

    @Test(arguments: [
        ("/coins/markets", 422, #"{"error":"Missing parameter vs_currency"}"#),
        ("/coins/markets?vs_currency=usdt", 400, #"{"error":"invalid vs_currency"}"#),
        ("/coins/nonsense/market_chart/range?vs_currency=usd&from=1&to=2", 404, #"{"error":"coin not found"}"#),
        ("/coins/bitcoin/market_chart/range?vs_currency=usd&from=2&to=1", 400, #"{"error":"invalid date range"}"#),
        ("/coins/bitcoin/market_chart/range?vs_currency=usd&from=1", 422, #"{"error":"Missing parameter to"}"#),
        ("/nonsense", 404, #"{"error":"Incorrect path. Please check https://www.coingecko.com/api/"}"#),
        ("/ping", 200, #"{"gecko_says":"(V3) To the Moon!"}"#),
    ])
    func answersWithStatusAndBody(path: String, status: Int, body: String) async throws {
        try await withSimulator(.start()) { simulator async throws in
            let answer = try await get(simulator.baseURL + path)
            #expect(answer.status == status)
            #expect(answer.text == body)
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        }
    }

    @Test func refusesWhatLiesBeyondOneYear() async throws {
        try await withSimulator(.start()) { simulator async throws in
            let now = Int(Date().timeIntervalSince1970)
            let range = "from=\(now - 366 * 86_400)&to=\(now)"
            let answer = try await get(
                simulator.baseURL + "/coins/bitcoin/market_chart/range?vs_currency=usd&" + range)
            #expect(answer.status == 401)
            #expect(answer.text.hasPrefix(#"{"error":{"status":{"error_code":10012,"#))
        }
    }

    @Test func listsMarkets() async throws {
        try await withSimulator(.start(markets: 20_000)) { simulator async throws in
            let coins = try await get(simulator.baseURL + "/coins/list").rows
            #expect(coins.count == 20_000)
            #expect(coins.allSatisfy { Set($0.keys) == ["id", "symbol", "name"] })
        }
    }

    @Test func scriptedPricesCycle() async throws {
        let script = [bitcoin: ["60000.5", "59999", "0.000000001206"].map(price), id("AAPL"): [price("171.5")]]
        try await withSimulator(.start(markets: 50, script: script)) { simulator async throws in
            var seen: [[String]] = []
            for _ in 0..<4 { seen.append(try await get(simulator.marketsURL + "&ids=bitcoin,AAPL").priceTexts) }
            #expect(
                seen == [["60000.5", "171.5"], ["59999", "171.5"], ["1.206e-09", "171.5"], ["60000.5", "171.5"]])
            #expect(simulator.markets.count == 51)
        }
    }

    @Test func failedRequestsLeaveTheWalkWhereItIs() async throws {
        try await withSimulator(.start(faults: [.ok, .status(500), .html, .ok])) { simulator async throws in
            for _ in 0..<3 { _ = try await get(simulator.marketsURL) }
            let second = try await get(simulator.marketsURL).priceTexts.first
            #expect(second == simulator.price(of: bitcoin, step: 1)?.description)
        }
    }

    @Test func remembersWhatItWasAsked() async throws {
        try await withSimulator(.start()) { simulator async throws in
            _ = try await get(simulator.baseURL + "/ping?a=b", headers: ["X-Cg-Demo-Api-Key": "CG-1"])
            await simulator.waitUntilSeen(1)
            #expect(simulator.requestCount == 1)
            let request = try #require(simulator.requests.first?.request)
            #expect(request.path == "/api/v3/ping")
            #expect(request.query == ["a": "b"])
            #expect(request.headers["x-cg-demo-api-key"] == "CG-1")
        }
    }

    @Test func aTakenPortIsATypedError() async throws {
        try await withSimulator(.start()) { simulator async throws in
            let error = await #expect(throws: LoopbackServer.StartError.self) {
                try await CoinGeckoSimulator.start(port: simulator.port)
            }
            #expect(error?.port == simulator.port)
        }
    }
}
