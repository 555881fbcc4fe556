import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("A poll")
struct PollTests {
    let time = ManualTime()

    @Test func namedFirstInTheirOrderThenByRank() async throws {
        let transport = ScriptedTransport(
            time,
            [
                .json(
                    rows(row("ethereum", "2391.22"), row("tiny", "1.206e-09")), 200,
                    [("Date", "Sat, 21 Nov 2026 10:00:01 GMT")]),
                .json(
                    rows(row("bitcoin", "77123.45"), row("ethereum", "2392"), row("dead", "null"), row("fourth", "4")),
                    200,
                    [("Cache-Control", "public, max-age=30, s-maxage=60"), ("Date", "Sat, 21 Nov 2026 10:00:02 GMT")]),
            ])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let report = try await feed.poll(try watch("tiny", "gone", "ethereum", top: 3), within: .seconds(60))
        let answer = try #require(report.answer)
        #expect(answer.quotes.map(\.market) == (try ids("tiny", "ethereum", "bitcoin")))
        #expect(answer.prices == ["tiny": "0.000000001206", "ethereum": "2392", "bitcoin": "77123.45"])
        #expect(answer.unusable == [try MarketID("dead"): .nullPrice])
        #expect(answer.missing == (try ids("gone")))
        #expect(answer.ranking == (try ids("bitcoin", "ethereum", "dead")))
        #expect(answer.fetchedAt == time.now())
        #expect(answer.serverDate?.utcText == "2026-11-21T10:00:02Z")
        #expect(answer.maxAge == .seconds(30))
        #expect(!answer.notModified && answer.pageError == nil && answer.noUsablePrice == nil)
        #expect(report.requests == 2 && report.requestsThisMonth == 2)
    }

    @Test func aMarketWhoseRankMovedBetweenPagesCountsOnceWithItsNewerPrice() async throws {
        let old = row("mover", "1", updated: "2026-11-21T09:59:00.000Z")
        let new = row("mover", "2", updated: "2026-11-21T09:59:30.000Z")
        for (first, second) in [(old, new), (new, old)] {
            let transport = ScriptedTransport(
                time, [.json(rows(row("a", "1"), first)), .json(rows(second, row("b", "3")))])
            let feed = scriptedFeed(transport, time, environment: try environment())
            let answer = try #require(try await feed.poll(try watch(top: 500), within: .seconds(60)).answer)
            #expect(answer.ranking == (try ids("a", "mover", "b")))
            #expect(answer.prices == ["a": "1", "mover": "2", "b": "3"])
        }
    }

    @Test func sendsKeyUserAgentAndFullPrecision() async throws {
        let transport = ScriptedTransport(time, [.json(rows(row("bitcoin", "1")))])
        let environment = try environment(key: Secret("CG-x"))
        let feed = scriptedFeed(transport, time, environment: environment, plan: .demo)
        _ = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        let request = try #require(transport.requests.first)
        #expect(
            request.url
                == "http://127.0.0.1:9/api/v3/coins/markets?vs_currency=usd&ids=bitcoin&per_page=250&precision=full")
        #expect(request.headers["x-cg-demo-api-key"] == "CG-x")
        #expect(request.headers["user-agent"] == "pricewatch/0 (+tests)")
        #expect(request.bodyLimit == 8 << 20)
    }

    @Test func retriesAndSaysSo() async throws {
        let transport = ScriptedTransport(
            time, [.failure(.transport("connection reset by peer")), .json("", 503), .json(rows(row("bitcoin", "1")))])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.answer?.prices == ["bitcoin": "1"])
        #expect(report.requests == 3)
        #expect(time.sleeps == [.seconds(1), .seconds(2)])
        #expect(report.retries.map(\.attempt) == [1, 2])
        #expect(report.retries.map(\.delay) == [.seconds(1), .seconds(2)])
        #expect(report.retries.map(\.error.kind) == [.transport, .server])
        #expect(report.retries[0].error.message.contains("connection reset by peer"))
    }

    @Test func givesUpAfterThreeRequestsAPage() async throws {
        let transport = ScriptedTransport(time, [.json("", 500)])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.error?.kind == .server)
        #expect(report.requests == 3)
        #expect(report.retries.map(\.attempt) == [1, 2])
        #expect(report.cooldown == nil)
    }

    @Test func endsWithItsTime() async throws {
        let time = time
        let transport = ScriptedTransport(time) { _, _ in
            time.step(.seconds(20))
            return .failure(.timeout(.seconds(20)))
        }
        let feed = scriptedFeed(transport, time, environment: try environment())
        let report = try await feed.poll(try watch("bitcoin", top: 1000), within: .seconds(41))
        #expect(report.error?.kind == .timeout)
        #expect(report.requests == 2)
    }

    @Test func aFailedPageLeavesTheOthers() async throws {
        let transport = ScriptedTransport(time) { _, request in
            request.url.contains("page=1&") ? .json("[{", 200) : .json(rows(row("bitcoin", "1"), row("far", "2")))
        }
        let feed = scriptedFeed(transport, time, environment: try environment())
        let answer = try #require(try await feed.poll(try watch("bitcoin", top: 500), within: .seconds(60)).answer)
        #expect(answer.prices == ["bitcoin": "1", "far": "2"])
        #expect(answer.pageError?.kind == .decode)
        #expect(answer.rankingIsIncomplete)
        #expect(answer.missing.isEmpty && answer.unreached.isEmpty)
    }

    @Test func namesOnAFailedPageAreNotMissing() async throws {
        let transport = ScriptedTransport(time) { _, request in
            request.url.contains("ids=") ? .json("", 400) : .json(rows(row("bitcoin", "1")))
        }
        let feed = scriptedFeed(transport, time, environment: try environment())
        let answer = try #require(
            try await feed.poll(try watch("bitcoin", "rare", top: 1), within: .seconds(60)).answer)
        #expect(answer.prices == ["bitcoin": "1"])
        #expect(answer.unreached == Set(try ids("rare")))
        #expect(answer.missing.isEmpty)
        #expect(answer.pageError?.kind == .badRequest)
    }

    @Test func whatAilsTheFeedIsNotAskedAgainForEachPage() async throws {
        for reply in [ScriptedTransport.Reply.failure(.tls("not trusted")), .json("", 401), .json("", 429)] {
            let transport = ScriptedTransport(time, [reply])
            let feed = scriptedFeed(transport, time, environment: try environment())
            let report = try await feed.poll(try watch(top: 17_000), within: .seconds(30))
            #expect(report.error != nil)
            #expect(report.requests == 1)
        }
        let transport = ScriptedTransport(time, [.json("", 404)])
        let feed = scriptedFeed(transport, time, environment: try environment())
        #expect(try await feed.poll(try watch(top: 17_000), within: .seconds(30)).requests == 2)
    }

    @Test func anAnswerWithoutAnyUsablePriceIsSoundButEmpty() async throws {
        let transport = ScriptedTransport(time, [.json("[]")])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let answer = try #require(try await feed.poll(try watch("no-such-coin"), within: .seconds(60)).answer)
        #expect(answer.noUsablePrice?.kind == .empty)
        #expect(answer.noUsablePrice?.message.contains("1 not answered") == true)
    }

    @Test func cancellingEndsItAtOnce() async throws {
        let transport = ScriptedTransport(time, [.json("", 500)])
        let feed = scriptedFeed(transport, time, environment: try environment())
        let watch = try watch("bitcoin")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await feed.poll(watch, within: .seconds(60))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count <= 1)
    }
}
