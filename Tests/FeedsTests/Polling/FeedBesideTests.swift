import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

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
        let beside = Feed(first.client)
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
}
