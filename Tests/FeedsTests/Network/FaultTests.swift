import Foundation
import HTTP
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Feeds

/// Real exchanges with a server on loopback that does what servers do on their bad days.
@Suite("Faults over the network")
struct FaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var fault: Fault
        var kind: FeedError.Kind
        var requests = 2
        var says = ""

        var testDescription: String { name }

        init(_ name: String, _ fault: Fault, _ kind: FeedError.Kind, requests: Int = 2, says: String = "") {
            self.name = name
            self.fault = fault
            self.kind = kind
            self.requests = requests
            self.says = says
        }
    }

    static let json = ["Content-Type": "application/json"]
    static let packed = json.merging(["Content-Encoding": "gzip"]) { $1 }

    static let cases: [Case] = [
        Case("reset", .reset, .transport),
        Case("hang", .hang, .timeout, says: "within 50s"),
        Case("a byte now and then", .drip(every: .milliseconds(50)), .timeout, says: "within 50s"),
        Case("truncated", .truncate, .transport),
        Case("half a document", .badJSON, .decode, says: "is cut off"),
        Case("web page", .html, .blocked, requests: 1),
        Case(
            "error inside 200", .error200, .rateLimited, requests: 1,
            says: "200 with an error inside: too many requests"),
        Case("1 GiB, announced", .huge(declaresLength: true), .tooLarge, requests: 1, says: "8 MiB"),
        Case("1 GiB, unannounced", .huge(declaresLength: false), .tooLarge, requests: 1, says: "8 MiB"),
        Case("gzip bomb", .gzipBomb(unpacked: 160 << 20), .tooLarge, requests: 1, says: "8 MiB"),
        Case(
            "damaged gzip", .reply(.init(headers: packed, text: "this is no gzip at all")), .transport),
        Case(
            "redirect loop", .reply(.init(status: 302, headers: ["Location": "/api/v3/coins/markets"])),
            .badStatus, requests: 1, says: "/api/v3/coins/markets"),
        Case(
            "wrong content type", .reply(.init(headers: ["Content-Type": "text/csv"], text: "a,b")),
            .contentType, requests: 1, says: "text/csv"),
        Case("nothing at all", .reply(.init(headers: json)), .decode, says: "is empty"),
        Case("400", .status(400), .badRequest, requests: 1),
        Case("401", .status(401), .unauthorized, requests: 1, says: "key"),
        Case("403", .status(403), .forbidden, requests: 1),
        Case("404", .status(404), .notFound, requests: 1),
        Case("422", .status(422), .badRequest, requests: 1),
        Case("429", .status(429), .rateLimited, requests: 1),
        Case("500", .status(500), .server), Case("501", .status(501), .server), Case("502", .status(502), .server),
        Case("503", .status(503), .server), Case("504", .status(504), .server), Case("520", .status(520), .server),
    ]

    /// - Parameter server: late is what hangs there, and nothing else.
    func poll(
        _ url: String, _ server: CoinGeckoSimulator? = nil, time: ManualTime = ManualTime()
    ) async throws -> PollResult {
        let network = try NetworkTransport(time: StalledTime(server))
        let feed = Feed(
            FeedClient(
                CoinGecko(plan: .public), try environment(url, timeout: .hours(1)), transport: network,
                memory: TransientMemory(),
                retry: RetryPolicy(attempts: 2, base: .milliseconds(1), cap: .milliseconds(1)), time: time))
        let report = try await feed.poll(try watch("bitcoin", "ethereum"), within: .seconds(50))
        await network.shutdown()
        return report
    }

    @Test(arguments: cases) func kinds(_ expected: Case) async throws {
        let market = try await CoinGeckoSimulator.start(faults: [expected.fault])
        let report = try await poll(market.baseURL, market)
        await market.stop()
        #expect(report.error?.kind == expected.kind, "\(report.error?.message ?? "")")
        #expect(
            report.error?.message.contains(expected.says) == true || expected.says.isEmpty,
            "\(report.error?.message ?? "")")
        #expect(report.requests == expected.requests)
        #expect(report.requests == market.requestCount)
    }

    @Test func refused() async throws {
        let closed = try ClosedPort()
        let error = try await poll(closed.baseURL).error
        withExtendedLifetime(closed) {}
        #expect(error?.kind == .connect)
        #expect(error?.message.contains("connection refused") == true, "\(error?.message ?? "")")
    }

    @Test func noSuchHost() async throws {
        let error = try await poll("https://no-such-host.invalid/api/v3").error
        #expect(error?.kind == .dns, "\(error?.message ?? "")")
    }

    @Test func recoversWithinThePoll() async throws {
        let market = try await CoinGeckoSimulator.start(faults: [.reset, .ok])
        let report = try await poll(market.baseURL)
        await market.stop()
        #expect(report.answer?.quotes.count == 2)
        #expect(report.requests == 2)
    }

    /// Seconds to the next try.
    @Test(arguments: [
        ([:], 60), (["Retry-After": "119"], 119),
        (["Retry-After": "Sat, 21 Nov 2026 10:02:00 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"], 120),
        (["x-ratelimit-reset": "2026-11-21 10:05:00 +0000", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"], 300),
    ])
    func rateLimits(_ headers: [String: String], _ seconds: Double) async throws {
        let market = try await CoinGeckoSimulator.start(faults: [.reply(.json("{}", status: 429, headers: headers))])
        let time = ManualTime()
        let report = try await poll(market.baseURL, time: time)
        await market.stop()
        let end = time.now().addingTimeInterval(seconds)
        #expect(report.cooldown == FeedCooldown(until: end, isBlock: false))
        #expect(report.error?.retryAt == end)
        #expect(report.requests == 1)
    }
}
