import AsyncHTTPClient
import Foundation
import Markets
import TestSupport
import Testing

@testable import MarketSimulator

/// Each fault through a real socket.
@Suite struct FaultTests {
    private let request = "GET /api/v3/ping HTTP/1.1\r\nHost: x\r\n\r\n"
    private let ping = #"{"gecko_says":"(V3) To the Moon!"}"#

    @Test func resetEndsTheConnectionWithRST() async throws {
        try await withSimulator(.start(faults: [.reset])) { simulator async throws in
            let exchange = try await RawClient.send(request, port: simulator.port)
            #expect(exchange.end == .reset)
            #expect(exchange.text.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5))) func aHangLastsUntilTheStop() async throws {
        try await withSimulator(.start(faults: [.hang])) { simulator async throws in
            async let hanging = RawClient.send(request, port: simulator.port)
            await simulator.waitUntilSeen(1)
            await simulator.stop()
            let exchange = try await hanging
            #expect(exchange.text.isEmpty)
            #expect(exchange.end != .enough)
        }
    }

    @Test func aHangLastsUntilTheClientGoes() async throws {
        try await withSimulator(.start(faults: [.hang, .ok])) { simulator async throws in
            let url = simulator.baseURL + "/ping"
            let client = Task {
                try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .hours(1)).status
            }
            await simulator.waitUntilSeen(1)
            client.cancel()
            await #expect(throws: (any Error).self) { try await client.value }
            #expect(try await get(simulator.baseURL + "/ping").text == ping)
        }
    }

    @Test func aDripComesByteByByte() async throws {
        try await withSimulator(.start(faults: [.drip(every: .milliseconds(2))])) { simulator async throws in
            let begun = ContinuousClock.now
            let answer = try await get(simulator.baseURL + "/ping")
            #expect(answer.text == ping)
            #expect(ContinuousClock.now - begun >= .milliseconds(2 * ping.utf8.count))
        }
    }

    @Test func aDripBeginsWithTheHead() async throws {
        try await withSimulator(.start(faults: [.drip(every: .seconds(3600))])) { simulator async throws in
            let exchange = try await RawClient.send(request, port: simulator.port) { $0.contains("\r\n\r\n") }
            #expect(exchange.text.contains("Content-Length: \(ping.utf8.count)\r\n"))
            #expect(exchange.text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func truncateClosesBeforeTheEnd() async throws {
        try await withSimulator(.start(faults: [.truncate])) { simulator async throws in
            let exchange = try await RawClient.send(request, port: simulator.port)
            #expect(exchange.end == .closed)
            #expect(exchange.text.contains("Content-Length: \(ping.utf8.count)\r\n"))
            #expect(exchange.text.hasSuffix("\r\n\r\n" + ping.prefix(ping.count / 2)))
            await #expect(throws: (any Error).self) { try await get(simulator.baseURL + "/ping") }
        }
    }

    @Test func badJSONArrivesWholeAndBroken() async throws {
        try await withSimulator(.start(faults: [.badJSON])) { simulator async throws in
            let answer = try await get(simulator.marketsURL)
            #expect(answer.status == 200)
            #expect(answer.headers["content-length"] == "\(answer.body.count)")
            #expect(answer.text.hasPrefix(#"[{"id":"bitcoin""#))
            #expect(throws: (any Error).self) { try answer.json }
        }
    }

    @Test func htmlIsAPageWithStatus200() async throws {
        try await withSimulator(.start(faults: [.html])) { simulator async throws in
            let answer = try await get(simulator.marketsURL)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"]?.hasPrefix("text/html") == true)
            #expect(answer.text.hasPrefix("<!DOCTYPE html>"))
        }
    }

    @Test func error200IsARateLimitInDisguise() async throws {
        try await withSimulator(.start(faults: [.error200])) { simulator async throws in
            let answer = try await get(simulator.marketsURL)
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix(#"{"status":{"error_code":429,"error_message":"You've exceeded"#))
        }
    }

    @Test(arguments: [
        (401, #"{"status":{"error_code":10002,"#), (404, #"{"error":"coin not found"}"#),
        (429, #"{"status":{"error_code":429,"#), (500, #"{"status":500,"error":"Internal Server Error"}"#),
        (503, #"{"status":{"error_code":503,"error_message":"Service Unavailable"}}"#),
    ])
    func aStatusHasItsBody(status: Int, body: String) async throws {
        try await withSimulator(.start(faults: [.status(status, retryAfter: 120), .status(status)])) {
            simulator async throws in
            let patient = try await get(simulator.marketsURL)
            #expect(patient.status == status)
            #expect(patient.headers["retry-after"] == "120")
            #expect(patient.text.hasPrefix(body))
            #expect(try await get(simulator.marketsURL).headers["retry-after"] == nil)
        }
    }

    @Test func nullPricesComeWithTheirBlock() async throws {
        try await withSimulator(.start(faults: [.nullPrices(), .nullPrices([bitcoin])])) { simulator async throws in
            let block = [
                "current_price", "high_24h", "low_24h", "price_change_24h", "price_change_percentage_24h",
                "market_cap_change_24h", "market_cap_change_percentage_24h",
            ]
            for row in try await get(simulator.marketsURL).rows {
                for name in block { #expect(row[name] is NSNull, "\(name)") }
                #expect(row["market_cap"] is NSNumber)
            }
            let rows = try await get(simulator.marketsURL).rows
            #expect(rows.filter { $0["current_price"] is NSNull }.map { $0["id"] as? String } == ["bitcoin"])
        }
    }

    @Test func hugeSendsWhatItSays() async throws {
        try await withSimulator(.start(faults: [.huge(bytes: 300_000), .huge()])) { simulator async throws in
            #expect(try await get(simulator.marketsURL).body.count == 300_000)
            let exchange = try await RawClient.send(request, port: simulator.port) { $0.utf8.count > 100_000 }
            #expect(exchange.text.contains("Content-Length: 1073741824\r\n"))
        }
    }

    @Test func rowsMayBeMissingOddOrOld() async throws {
        let now = Date(milliseconds: 1_795_000_000_000)
        let faults: [Fault] = [.missing([bitcoin]), .prices([tether: "1e400"]), .aged(.hours(2))]
        try await withSimulator(.start(faults: faults, now: { now })) { simulator async throws in
            let url = simulator.marketsURL + "&ids=bitcoin,tether"
            #expect(try await get(url).rows.map { $0["id"] as? String } == ["tether"])
            #expect(try await get(url).priceTexts.last == "1e400")
            let old = (now - .hours(2)).utcTextWithMilliseconds
            #expect(try await get(url).rows.map { $0["last_updated"] as? String } == [old, old])
        }
    }

    @Test func faultsAreWalkedThroughAgainAndAgainWhateverThePath() async throws {
        try await withSimulator(.start(faults: [.ok, .status(503), .html])) { simulator async throws in
            var statuses: [Int] = []
            for path in ["/ping", "/coins/list", "/ping", "/coins/markets?vs_currency=usd", "/ping", "/ping", "/ping"] {
                statuses.append(try await get(simulator.baseURL + path).status)
            }
            #expect(statuses == [200, 503, 200, 200, 503, 200, 200])
            #expect(simulator.requests.map(\.fault).suffix(3) == [.status(503), .html, .ok])
            simulator.setFaults([.status(502)])
            #expect(try await get(simulator.baseURL + "/ping").status == 502)
        }
    }

    @Test func aFaultOfTheBodyIgnoresConditions() async throws {
        try await withSimulator(.start(stepsEvery: .hours(1), faults: [.ok, .badJSON])) { simulator async throws in
            let tag = try #require(try await get(simulator.marketsURL).headers["etag"])
            #expect(try await get(simulator.marketsURL, headers: ["If-None-Match": tag]).status == 200)
        }
    }
}
