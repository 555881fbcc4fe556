import Engine
import Foundation
import MarketSimulator
import Markets
import TestSupport
import Testing

@testable import Feeds

/// Two feeds of which the preferred one is ill for some minutes: its requests go to a server that fails.
private struct Redirecting: HTTPTransport {
    var network: any HTTPTransport
    var illNetwork: any HTTPTransport
    var time: ManualTime
    var started: Date
    var from: String
    var to: String
    var isIll: @Sendable (_ minute: Int) -> Bool

    func exchange(_ request: WireRequest, within timeout: Duration) async throws(TransportFault) -> HTTPAnswer {
        var request = request
        let minute = Int(time.now().since(started).inSeconds / 60)
        guard !isIll(minute) else {
            request.url = request.url.replacing(from, with: to)
            return try await illNetwork.exchange(request, within: timeout)
        }
        return try await network.exchange(request, within: timeout)
    }
}

@Suite("Failover over the network")
struct FailoverFeedTests {
    /// Twelve minutes with a poll each; what each brought.
    private func minutes(
        _ fault: Fault, isIll: @escaping @Sendable (Int) -> Bool
    ) async throws -> [FailoverFeed.Turn] {
        let time = ManualTime()
        let healthy = try await CoinGeckoSimulator.start()
        let ill = try await CoinGeckoSimulator.start(faults: [fault])
        let standby = try await CoinGeckoSimulator.start()
        let network = try NetworkTransport(time: StalledTime())
        let illNetwork = try NetworkTransport(time: StalledTime(ill))
        let redirecting = Redirecting(
            network: network, illNetwork: illNetwork, time: time, started: time.now(), from: ":\(healthy.port)/",
            to: ":\(ill.port)/",
            isIll: isIll)
        func member(_ name: String, _ url: String, _ transport: any HTTPTransport) throws -> FailoverFeed.Member {
            var environment = try environment(url, timeout: .hours(1))
            environment.feed = name
            let feed = Feed(
                CoinGecko(plan: .public), environment, transport: transport, memory: TransientMemory(),
                retry: RetryPolicy(attempts: 2, base: .milliseconds(1), cap: .milliseconds(1)), time: time)
            return FailoverFeed.Member(feed, watch: try watch("bitcoin", "ethereum")) { $0.text }
        }
        let feed = FailoverFeed(
            [
                try member("first", healthy.baseURL, redirecting), try member("second", standby.baseURL, network),
            ], every: .minutes(1), time: time)
        var turns: [FailoverFeed.Turn] = []
        for minute in 1...12 {
            turns.append(try await feed.poll(within: .hours(3)))
            let next = Date(timeInterval: Double(minute) * 60, since: redirecting.started)
            time.step(next.since(time.now()))
        }
        await network.shutdown()
        await illNetwork.shutdown()
        for server in [healthy, ill, standby] { await server.stop() }
        return turns
    }

    /// An ill feed costs no poll its price; the switch and the return are told once each.
    @Test(arguments: FaultTests.cases) func everyFault(_ fault: FaultTests.Case) async throws {
        let turns = try await minutes(fault.fault) { (2...4).contains($0) }
        #expect(turns.allSatisfy { $0.report.answer?.quotes.count == 2 })
        let changes = turns.compactMap(\.change)
        #expect(changes.first?.from == "first" && changes.first?.to == "second")
        #expect(changes.first?.error?.kind == fault.kind)
        // One that refuses us is left alone for longer than this lasts.
        let isBlocked = [.unauthorized, .forbidden, .blocked].contains(fault.kind)
        #expect(changes.map(\.isRestored) == (isBlocked ? [false] : [false, true]))
        let feeds = turns.map { $0.feed == "first" ? "1" : "2" }.joined()
        #expect(feeds == (isBlocked ? "112222222222" : "112222211111"))
    }

    @Test func everyOtherPoll() async throws {
        let turns = try await minutes(.status(500)) { $0 % 2 == 1 }
        #expect(turns.allSatisfy { $0.report.answer?.quotes.count == 2 })
        #expect(turns.compactMap(\.change).map(\.to) == ["second"])
        #expect(turns.map(\.feed) == ["first"] + Array(repeating: "second", count: 11))
    }
}

@Suite("Feeds that stand in")
struct StandInTests {
    let time = ManualTime()

    private func member(
        _ name: String, _ reply: ScriptedTransport, _ watch: Watch, attempts: Int = 1
    ) throws -> FailoverFeed.Member {
        var environment = try environment()
        environment.feed = name
        let feed = Feed(
            CoinGecko(plan: .public), environment, transport: reply, memory: TransientMemory(),
            retry: RetryPolicy(attempts: attempts, base: .zero), time: time)
        return FailoverFeed.Member(feed, watch: watch) { $0.text == "unheard-of" ? nil : "its-\($0)" }
    }

    @Test func theLastRankingIsAskedByName() async throws {
        let down = ScriptedTransport(time, [.json("{}", 500)])
        let up = ScriptedTransport(time, [.json(rows(row("its-bitcoin", "1"), row("its-pepe", "2")))])
        let feed = FailoverFeed(
            [try member("a", down, try watch(top: 3)), try member("b", up, try watch(top: 3))], every: .minutes(1),
            time: time)
        let turn = try await feed.poll(
            ranking: try ids("bitcoin", "unheard-of", "pepe"), within: .seconds(60))
        #expect(turn.feed == "b")
        #expect(turn.unmapped == (try ids("unheard-of")))
        #expect(turn.report.answer?.quotes.map(\.market) == (try ids("bitcoin", "pepe")))
        #expect(turn.report.answer?.top == [])
        #expect(up.requests.first?.url.contains("ids=its-bitcoin,its-pepe&") == true)
    }

    @Test func aProbeThatHangsIsNotRepeated() async throws {
        let down = ScriptedTransport(time) { [time] _, _ in
            time.step(.seconds(5))
            return .failure(.timeout(.seconds(5)))
        }
        let up = ScriptedTransport(time, [.json(rows(row("bitcoin", "1")))])
        let feed = FailoverFeed(
            [try member("a", down, try watch("bitcoin"), attempts: 3), try member("b", up, try watch("bitcoin"))],
            every: .minutes(1), time: time)
        #expect(try await feed.poll(within: .minutes(1)).feed == "b")
        #expect(down.requests.count == 3)
        time.step(.minutes(1))
        let before = time.now()
        #expect(try await feed.poll(within: .minutes(1)).feed == "b")
        #expect(down.requests.count == 4 && time.now().since(before) == .seconds(5))
    }

    @Test func whereAllFailThePreferredOneSaysWhy() async throws {
        let feed = FailoverFeed(
            [
                try member("a", ScriptedTransport(time, [.json("{}", 401)]), try watch("bitcoin")),
                try member("b", ScriptedTransport(time, [.json("{}", 500)]), try watch("bitcoin")),
            ], every: .minutes(1), time: time)
        let turn = try await feed.poll(within: .seconds(60))
        #expect(turn.feed == "a" && turn.change == nil && turn.report.requests == 2)
        #expect(turn.report.error?.kind == .unauthorized)
        time.step(.minutes(1))
        #expect(try await feed.poll(within: .seconds(60)).report.error?.kind == .server)
    }
}

@Suite("Feeds that are asked twice")
struct FeedBesideTests {
    let time = ManualTime()

    @Test func oneBudgetAndOneWaitButAnswersOfTheirOwn() async throws {
        let memory = TransientMemory()
        let etag = [("ETag", "\"1\"")]
        let transport = ScriptedTransport(time) { number, request in
            switch number {
            case 1, 2: .json(rows(row(request.url.contains("ids=bitcoin&") ? "bitcoin" : "tether", "1")), 200, etag)
            case 3, 4: .success(HTTPAnswer(status: 304, headers: ["ETag": "\"1\""], body: Data()))
            default: .json("{}", 429, [("Retry-After", "3600")])
            }
        }
        let first = scriptedFeed(transport, time, memory: memory, environment: try environment())
        let beside = Feed(beside: first)
        for _ in 0..<2 {
            _ = try await first.poll(try watch("bitcoin"), within: .seconds(60))
            let report = try await beside.poll(try watch("tether"), within: .seconds(60))
            #expect(report.answer?.quotes.map(\.market) == (try ids("tether")))
        }
        #expect(await beside.requests(in: UTCMonth(time.now())) == 4)
        #expect(transport.requests.suffix(2).allSatisfy { request in request.headers["If-None-Match"] == "\"1\"" })
        _ = try await first.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(try await beside.poll(try watch("tether"), within: .seconds(60)).isWaiting)
    }

    @Test func whereNobodyHasANameNobodyIsAsked() async throws {
        let transport = ScriptedTransport(time, [.json("[]")])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let member = FailoverFeed.Member(feed, watch: try watch(), unmapped: try ids("bitcoin")) { _ in nil }
        let turn = try await FailoverFeed([member], every: .minutes(1), time: time).poll(within: .seconds(60))
        #expect(turn.report.answer?.quotes.isEmpty == true && turn.report.requests == 0)
        #expect(turn.unmapped == (try ids("bitcoin")))
        #expect(transport.requests.isEmpty)
    }
}
