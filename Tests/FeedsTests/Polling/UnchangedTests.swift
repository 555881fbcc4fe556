import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

@Suite("Unchanged answers")
struct UnchangedTests {
    let time = ManualTime()

    /// Knows one version per URL and answers 304 to whoever has it.
    func transport(_ body: String, tag: String = #"W/"1""#) -> ScriptedTransport {
        ScriptedTransport(time) { _, request in
            request.headers["If-None-Match"] == tag
                ? .success(HTTPAnswer(status: 304, headers: ["ETag": tag], body: Data()))
                : .json(body, 200, [("ETag", tag), ("Last-Modified", "Sat, 21 Nov 2026 09:59:00 GMT")])
        }
    }

    @Test func theFirstPollIsUnconditionalAndTheNextServesWhatIsKnown() async throws {
        let transport = transport(rows(row("bitcoin", "1")))
        let feed = scriptedFeed(transport, time, environment: try environment())
        let first = try #require(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).answer)
        time.step(.seconds(60))
        let second = try #require(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).answer)
        #expect(!first.notModified && second.notModified)
        #expect(second.prices == first.prices)
        #expect(second.fetchedAt == time.now())
        #expect(transport.requests[0].headers["If-None-Match"] == nil)
        #expect(transport.requests[1].headers["If-Modified-Since"] == "Sat, 21 Nov 2026 09:59:00 GMT")
        // Another watchlist is another page.
        let third = try #require(try await feed.poll(try watch("bitcoin", "b"), within: .seconds(60)).answer)
        #expect(!third.notModified)
        #expect(transport.requests[2].headers["If-None-Match"] == nil)
    }

    @Test func onePageOfTwoUnchangedIsAChange() async throws {
        let time = time
        let transport = ScriptedTransport(time) { number, request in
            if request.url.contains("ids="), request.headers["If-None-Match"] != nil {
                return .success(HTTPAnswer(status: 304, headers: [:], body: Data()))
            }
            return .json(rows(row("bitcoin", "\(number)"), row("b", "5")), 200, [("ETag", "\"x\"")])
        }
        let feed = scriptedFeed(transport, time, environment: try environment())
        _ = try await feed.poll(try watch("b", top: 1), within: .seconds(60))
        let answer = try #require(try await feed.poll(try watch("b", top: 1), within: .seconds(60)).answer)
        #expect(!answer.notModified)
        #expect(answer.prices == ["b": "5", "bitcoin": "4"])
    }

    @Test func a304ThatCannotBeMatchedMakesTheNextRequestUnconditional() async throws {
        let transport = ScriptedTransport(
            time,
            [
                .json(rows(row("bitcoin", "1")), 200, [("ETag", "\"a\"")]),
                .success(HTTPAnswer(status: 304, headers: ["ETag": "\"other\""], body: Data())),
                .json(rows(row("bitcoin", "2")), 200, [("ETag", "\"b\"")]),
            ])
        let feed = scriptedFeed(transport, time, environment: try environment())
        _ = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        let report = try await feed.poll(try watch("bitcoin"), within: .seconds(60))
        #expect(report.answer?.prices == ["bitcoin": "2"])
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"a\"", nil])
    }

    @Test func a304ToAnUnconditionalRequestIsAnError() async throws {
        let transport = ScriptedTransport(time, [.success(HTTPAnswer(status: 304, headers: [:], body: Data()))])
        let feed = scriptedFeed(transport, time, environment: try environment())
        #expect(try await feed.poll(try watch("bitcoin"), within: .seconds(60)).error?.kind == .badStatus)
    }

    @Test(
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false),
            ("\"a\"", nil, true),
        ] as [(String, String?, Bool)])
    func tagsAreComparedWeakly(_ known: String, _ answered: String?, _ matches: Bool) {
        var headers = HTTPFields()
        if let answered { headers.append("etag", answered) }
        #expect(Validators(etag: known, lastModified: nil).match(headers) == matches)
    }
}
