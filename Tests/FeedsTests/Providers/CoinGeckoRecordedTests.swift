import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

/// Answers recorded from CoinGecko, where the folder with them lies beside the package.
@Suite("CoinGecko, recorded answers")
struct CoinGeckoRecordedTests {
    static let folder = Recording.folder("coingecko")
    static let all = Recording.all(in: folder)
    static let markets = all.filter { $0.name.hasPrefix("markets") }
    static let errors = all.filter { $0.name.hasPrefix("error") }

    func answer(_ body: Data, status: Int = 200, type: String = "application/json") async throws -> PollResult {
        let time = ManualTime()
        let reply = HTTPAnswer(status: status, headers: ["Content-Type": type], body: body)
        let transport = ScriptedTransport(time, [.success(reply)])
        let feed = scriptedFeed(transport, time, environment: try environment())
        return try await feed.poll(try watch(top: 250), within: .seconds(60))
    }

    @Test(.enabled(if: folder != nil), arguments: markets)
    func marketsComeDigitForDigit(_ recording: Recording) async throws {
        let body = try recording.body
        let answer = try #require(try await answer(body).answer)
        // Read independently: the texts after the two keys, in the order of the file.
        let text = String(decoding: body, as: UTF8.self)
        let ids = text.matches(of: /"id":\s*"([^"]*)"/).map { String($0.1) }
        let prices = text.matches(of: /"current_price":\s*([^,}\s]+)/).map { String($0.1) }
        #expect(ids.count == prices.count && !ids.isEmpty)
        #expect(answer.quotes.count + answer.unusable.count == ids.count)
        #expect(answer.ranking.map(\.text) == ids)
        var quotes = answer.quotes[...]
        for (id, sent) in zip(ids, prices) where sent != "null" {
            let quote = try #require(quotes.first)
            quotes = quotes.dropFirst()
            #expect(quote.market.text == id)
            #expect(quote.price.description == Recording.plain(sent), "\(id) \(sent)")
            #expect(quote.quotedAt != nil)
        }
        #expect(quotes.isEmpty)
    }

    @Test(.enabled(if: folder != nil), arguments: errors)
    func errorsAreTyped(_ recording: Recording) async throws {
        let name = recording.name
        let statuses = [
            ("1015", 429), ("10011", 400), ("10012", 401), ("404", 404), ("422", 422), ("429", 429), ("500", 500),
        ]
        let status = try #require(statuses.first { name.contains("-\($0.0)-") || name.contains("-\($0.0).") }?.1)
        let type = name.hasSuffix(".txt") ? "text/plain; charset=UTF-8" : "application/json; charset=utf-8"
        let kinds: [Int: FeedError.Kind] = [
            429: .rateLimited, 400: .unauthorized, 401: .forbidden, 404: .notFound, 422: .badRequest, 500: .server,
        ]
        let body = try recording.body
        #expect(try await answer(body, status: status, type: type).error?.kind == kinds[status])
        // The same inside an answer that claims success is an error, too.
        #expect(try await answer(body, type: type).error != nil)
    }

    @Test(.enabled(if: folder != nil), arguments: all)
    func nothingIsAnEmptySuccess(_ recording: Recording) async throws {
        let report = try await answer(try recording.body)
        if let answer = report.answer {
            #expect(!answer.quotes.isEmpty)
        } else {
            #expect(report.error != nil)
        }
    }

    @Test(.enabled(if: folder != nil), arguments: all.filter { $0.name.hasPrefix("coins-list") })
    func idLists(_ recording: Recording) throws {
        let body = try recording.body
        let ids = String(decoding: body, as: UTF8.self).matches(of: /"id":\s*"/).count
        #expect(try CoinGecko.CoinList().decode(body).count == ids)
    }
}
