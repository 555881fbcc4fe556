import Foundation
import Markets
import Testing

@testable import Feeds

/// Answers recorded from CoinGecko, where the folder with them lies beside the package.
@Suite("CoinGecko, recorded answers")
struct CoinGeckoRecordedTests {
    struct Recording: Sendable, CustomTestStringConvertible {
        var name: String
        var url: URL

        var testDescription: String { name }

        var body: Data {
            get throws { try Data(contentsOf: url) }
        }
    }

    /// Beside the package, or a floor above where the package is a clone among others.
    static let folder: URL? = {
        var place = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { place.deleteLastPathComponent() }
        for _ in 0..<3 {
            let folder = place.appendingPathComponent("shared/fixtures/coingecko")
            if FileManager.default.fileExists(atPath: folder.path) { return folder }
            place.deleteLastPathComponent()
        }
        print("recorded answers: ../shared/fixtures/coingecko is not there, these tests are skipped")
        return nil
    }()

    static let all: [Recording] = {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return []
        }
        return names.sorted().map { Recording(name: $0, url: folder.appendingPathComponent($0)) }
    }()

    static let markets = all.filter { $0.name.hasPrefix("markets") }
    static let errors = all.filter { $0.name.hasPrefix("error") }

    func answer(_ body: Data, status: Int = 200, type: String = "application/json") async throws -> PollReport {
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
        #expect(answer.top.map(\.text) == ids)
        var quotes = answer.quotes[...]
        for (id, sent) in zip(ids, prices) where sent != "null" {
            let quote = try #require(quotes.first)
            quotes = quotes.dropFirst()
            #expect(quote.market.text == id)
            #expect(quote.price.description == plain(sent), "\(id) \(sent)")
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

    @Test(.enabled(if: folder != nil)) func smallAnswers() throws {
        func body(_ name: String) throws -> Data {
            try #require(Self.all.first { $0.name == name }).body
        }
        #expect(try CoinGecko.Ping().decode(body("ping-ok.json")).greeting == "(V3) To the Moon!")
        #expect(try CoinGecko.KeyUsage().decode(body("key-usage.json")).remainingThisMonth == 999_896)
    }

    /// A JSON number without exponent and needless zeros, by shifting its point.
    private func plain(_ number: String) -> String {
        let parts = number.lowercased().split(separator: "e", maxSplits: 1)
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        var digits = String(mantissa[0]) + fraction
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        if point <= 0 {
            digits = String(repeating: "0", count: 1 - point) + digits
            point = 1
        }
        if point > digits.count { digits += String(repeating: "0", count: point - digits.count) }
        var whole = String(digits.prefix(point))
        var rest = String(digits.dropFirst(point))
        while whole.count > 1, whole.hasPrefix("0") { whole.removeFirst() }
        while rest.hasSuffix("0") { rest.removeLast() }
        return rest.isEmpty ? whole : whole + "." + rest
    }
}
