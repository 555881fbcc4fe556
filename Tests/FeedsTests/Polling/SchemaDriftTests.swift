import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Schema drift")
struct SchemaDriftTests {
    let time = ManualTime()

    func poll(_ bodies: String...) async throws -> [PollResult] {
        let transport = ScriptedTransport(time, bodies.map { .json($0) })
        let feed = scriptedFeed(transport, time, environment: try environment())
        var reports: [PollResult] = []
        for _ in bodies { reports.append(try await feed.poll(try watch("a", "b", "c"), within: .seconds(60))) }
        return reports
    }

    @Test func aFieldThatIsAbsentInEveryRow() async throws {
        let reports = try await poll(#"[{"id":"a","price":1},{"id":"b","price":2}]"#)
        #expect(reports[0].error?.kind == .decode)
        #expect(reports[0].error?.message.contains("no price field in any of its 2 rows") == true)
        #expect(reports[0].requests == 1)
    }

    @Test func nullInEveryRowWherePricesWere() async throws {
        let reports = try await poll(
            rows(row("a", "1"), row("b", "2"), row("c", "null")),
            rows(row("a", "null"), row("b", "null"), row("c", "null")))
        #expect(reports[0].answer?.quotes.count == 2)
        #expect(reports[1].error?.kind == .decode)
    }

    @Test func aLoneCoinMayLoseItsPrice() async throws {
        let reports = try await poll(rows(row("a", "1")), rows(row("a", "null")))
        #expect(reports[1].answer?.unusable == [try MarketID("a"): .nullPrice])
        #expect(reports[1].answer?.noUsablePrice?.kind == .empty)
    }

    @Test func nullFromTheBeginningIsNoDrift() async throws {
        let reports = try await poll(rows(row("a", "null"), row("b", "null")))
        #expect(reports[0].answer?.noUsablePrice?.kind == .empty)
    }

    @Test func rowsWithoutIDs() async throws {
        let reports = try await poll("[[1621003519770,50675.25],[1621003958620,50821.9]]")
        #expect(reports[0].error?.message.contains("no id in any of its 2 rows") == true)
    }
}
