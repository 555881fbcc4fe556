import Foundation
import HTTP
import Markets
import Synchronization
import Testing

@testable import Feeds

@Suite("Waiting between polls")
struct WaitingTests {
    let time = ManualTime()
    let memory = TransientMemory()

    func feed(_ transport: ScriptedTransport, key: Secret? = nil, reread: (@Sendable () async -> Secret?)? = nil) throws
        -> Feed
    {
        let environment = try environment(key: key, rereadKey: reread)
        return scriptedFeed(
            transport, time, memory: memory, environment: environment, plan: key == nil ? .public : .demo)
    }

    /// An hour of ticks, each minute, with the process started anew three times.
    @Test func anHourWithRetryAfterAndThreeRestartsHasNoRequestTooEarly() async throws {
        let transport = ScriptedTransport(time) { number, _ in
            number % 3 == 0 ? .json(rows(row("bitcoin", "\(number)"))) : .json("", 429, [("Retry-After", "120")])
        }
        let end = time.now() + .hours(1)
        var polls = 0
        var feed = try feed(transport)
        while time.now() < end {
            _ = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
            polls += 1
            if polls % 15 == 0 { feed = try self.feed(transport) }
            time.step(.seconds(60))
        }
        let times = transport.times
        #expect(polls == 60)
        #expect(times.count > 30)
        for index in 1..<times.count where index % 3 != 0 {
            #expect(times[index].since(times[index - 1]) >= .seconds(120))
        }
        #expect(await memory.requests(of: "coingecko", in: UTCMonth(end)) == times.count)
    }

    @Test func aShortHintIsWaitedForInsideThePoll() async throws {
        let transport = ScriptedTransport(
            time, [.json("", 503, [("Retry-After", "7")]), .json(rows(row("bitcoin", "1")))])
        let report = try await feed(transport).poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.answer?.quotes.count == 1)
        #expect(report.cooldown == nil)
        #expect(time.sleeps == [.seconds(7)])
    }

    @Test func aRestartInTheMiddleOfThatPauseIsNotTooEarly() async throws {
        let transport = ScriptedTransport(time, [.json("", 503, [("Retry-After", "30")])])
        let report = try await feed(transport).poll(try watch("bitcoin"), within: .seconds(10))
        #expect(report.error?.retryAt == time.now() + .seconds(30))
        let next = try await feed(transport).poll(try watch("bitcoin"), within: .seconds(60))
        #expect(next.isWaiting)
        #expect(next.requests == 0)
        time.step(.seconds(30))
        #expect(try await feed(transport).poll(try watch("bitcoin"), within: .seconds(10)).requests == 1)
    }

    @Test func aSinglePollObeysOnlyWhatTheProviderNamed() async throws {
        let limited = ScriptedTransport(time, [.json("", 429)])
        _ = try await feed(limited).poll(try watch("bitcoin"), within: .seconds(10))
        #expect(try await feed(limited).poll(try watch("bitcoin"), within: .seconds(10)).isWaiting)
        let once = try await feed(limited).poll(try watch("bitcoin"), within: .seconds(10), respecting: .namedOnly)
        #expect(once.requests == 1)

        let named = ScriptedTransport(time, [.json("", 429, [("x-ratelimit-reset", "2026-11-21 10:30:00 +0000")])])
        _ = try await feed(named).poll(try watch("bitcoin"), within: .seconds(10), respecting: .namedOnly)
        let wait = try await feed(named).poll(try watch("bitcoin"), within: .seconds(10), respecting: .namedOnly)
        #expect(wait.waitsUntil?.utcText == "2026-11-21T10:30:00Z")
    }

    @Test func aPollReportsTheCooldownThatTheNextOneMeets() async throws {
        let transport = ScriptedTransport(time, [.json("", 429, [("Retry-After", "120")])])
        let feed = try feed(transport)
        let start = time.now()
        #expect(await feed.status(at: start) == (nil, 0))
        let cooldown = FeedCooldown(until: start + .seconds(120), isBlock: false)
        let refused = try await feed.poll(try watch("bitcoin"), within: .seconds(10))
        #expect(refused.feed == "coingecko" && refused.error?.kind == .rateLimited)
        #expect(refused.cooldown == cooldown && refused.error?.retryAt == cooldown.until)
        #expect(refused.requests == 1 && refused.requestsThisMonth == 1)
        time.step(.seconds(60))
        let waiting = try await feed.poll(try watch("bitcoin"), within: .seconds(10))
        #expect(waiting.waitsUntil == cooldown.until && waiting.cooldown == cooldown && waiting.error == nil)
        #expect(waiting.requests == 0 && waiting.requestsThisMonth == 1)

        // As a restarted daemon finds it.
        let restarted = try self.feed(transport)
        #expect(await restarted.status(at: time.now()) == (cooldown, 1))
        #expect(await restarted.status(at: cooldown.until) == (nil, 1))
        #expect(await restarted.status(at: start + .hours(24 * 31)).requestsThisMonth == 0)
    }

    @Test func aRateLimitThatLastsWaitsForHours() async throws {
        let transport = ScriptedTransport(time, [.json("", 429)])
        let feed = try feed(transport)
        for _ in 0..<(24 * 60) {
            _ = try await feed.poll(try watch("bitcoin"), within: .seconds(30))
            time.step(.seconds(60))
        }
        #expect(transport.times.count <= 12)
        #expect(await feed.cooldownInForce()?.0.cause == .quota)
    }

    @Test func agoodAnswerEndsTheSeries() async throws {
        let transport = ScriptedTransport(time) { number, _ in
            number % 2 == 0 ? .json(rows(row("bitcoin", "\(number)"))) : .json("", 429)
        }
        let feed = try feed(transport)
        for _ in 0..<60 {
            _ = try await feed.poll(try watch("bitcoin"), within: .seconds(30))
            time.step(.seconds(60))
        }
        #expect(transport.times.count >= 58)
    }

    @Test func aKeyThatChangedIsTriedAtOnce() async throws {
        let transport = ScriptedTransport(time) { _, request in
            request.headers["x-cg-demo-api-key"] == "CG-new" ? .json(rows(row("bitcoin", "1"))) : .json("{}", 401)
        }
        let feed = try feed(transport, key: Secret("CG-old")) { Secret("CG-new") }
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.answer?.quotes.count == 1)
        #expect(report.requests == 2)
        #expect(time.sleeps.isEmpty)
    }

    @Test func anUnchangedKeyBlocksTheFeedUntilItIsMended() async throws {
        let file = Mutex("CG-old")
        let transport = ScriptedTransport(time) { _, request in
            request.headers["x-cg-demo-api-key"] == "CG-good" ? .json(rows(row("bitcoin", "1"))) : .json("{}", 403)
        }
        let feed = try feed(transport, key: Secret("CG-old")) { Secret(file.withLock { $0 }) }
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.error?.kind == .forbidden)
        #expect(report.requests == 1)
        #expect(report.cooldown == FeedCooldown(until: time.now() + .minutes(15), isBlock: true))
        for _ in 0..<60 {
            time.step(.seconds(60))
            _ = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        }
        // After 15 and another 30 minutes.
        #expect(transport.times.count == 3)
        file.withLock { $0 = "CG-good" }
        #expect(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).answer?.quotes.count == 1)
        #expect(await memory.wait(of: "coingecko") == nil)
    }

    @Test func aRestartWithAnotherKeyEndsTheBlock() async throws {
        let refused = ScriptedTransport(time, [.json("{}", 401)])
        _ = try await feed(refused, key: Secret("CG-old")).poll(try watch("bitcoin"), within: .seconds(60))
        #expect(
            try await feed(refused, key: Secret("CG-old")).poll(try watch("bitcoin"), within: .seconds(60)).isWaiting)
        let good = ScriptedTransport(time, [.json(rows(row("bitcoin", "1")))])
        let report = try await feed(good, key: Secret("CG-new")).poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.answer?.quotes.count == 1)
    }

    @Test func aGoodAnswerDoesNotEndTheWaitThatAnotherRequestWasToldOfMeanwhile() async throws {
        let refused = StoredCooldown(
            until: time.now() + .minutes(5), namedUntil: time.now() + .minutes(5), cause: .rateLimited,
            message: "slow down", since: time.now(), count: 1, mark: 0)
        let meddling = MeddlingMemory(refused)
        let transport = ScriptedTransport(time, [.json(rows(row("bitcoin", "1")))])
        let feed = scriptedFeed(transport, time, memory: meddling, environment: try environment())
        #expect(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).answer?.quotes.count == 1)
        #expect(await meddling.wait(of: "coingecko") == refused)
        #expect(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).isWaiting)
    }
}

/// Another request of the same feed is refused while ours is on its way.
private actor MeddlingMemory: FeedMemory {
    private let inner = TransientMemory()
    private let refused: StoredCooldown

    init(_ refused: StoredCooldown) { self.refused = refused }

    func countRequest(of feed: String, in month: UTCMonth) async -> Int {
        await inner.keep(refused, of: feed)
        return await inner.countRequest(of: feed, in: month)
    }

    func wait(of feed: String) async -> StoredCooldown? { await inner.wait(of: feed) }
    func keep(_ wait: StoredCooldown?, of feed: String) async { await inner.keep(wait, of: feed) }
    func requests(of feed: String, in month: UTCMonth) async -> Int { await inner.requests(of: feed, in: month) }
}
