import Foundation
import Markets
import Testing

@testable import Feeds

@Suite("Kraken, the past")
struct KrakenPastTests {
    static let now = Date(utcText: "2026-11-21T10:00:00Z") ?? .distantPast
    static let folder = Recording.folder("series")

    private func page(_ from: Duration, _ to: Duration) throws -> PastPage? {
        let entry = Watch.Entry(try MarketID("bitcoin"), providerID: "XBTUSD")
        return Kraken().pastPage(
            of: entry, in: try Currency("usd"), (Self.now - from)..<(Self.now - to), now: Self.now)
    }

    @Test(
        "only the newest 720 candles come, so their length follows from how far back they must reach",
        arguments: [
            (Duration.hours(6), 1), (.hours(24), 5), (.hours(24 * 7), 15), (.hours(24 * 29), 60),
            (.hours(24 * 300), 1440),
        ])
    func lengths(from: Duration, minutes: Int) throws {
        let page = try #require(try page(from, .zero))
        #expect(page.span == (Self.now - from)..<Self.now)
        #expect(page.step == .minutes(minutes))
        let url = page.request.url(below: try BaseURL("http://127.0.0.1:9"), key: nil)
        let since = Int64((Self.now - from - .minutes(minutes)).timeIntervalSince1970)
        #expect(url == "http://127.0.0.1:9/0/public/OHLC?pair=XBTUSD&interval=\(minutes)&since=\(since)")
    }

    @Test func `what lies before all of them is out of reach`() throws {
        #expect(try page(.hours(24 * 900), .hours(24 * 800)) == nil)
        #expect(try page(.hours(24 * 900), .hours(24))?.span.lowerBound == Self.now - .hours(24 * 719))
    }

    @Test(.enabled(if: folder != nil), arguments: Recording.all(in: folder))
    func `recorded candles give their closes at the moments of closing, without the running one`(
        _ recording: Recording
    ) throws {
        let body = try recording.body
        let text = String(decoding: body, as: UTF8.self)
        let sent = text.matches(
            of: /\[\s*(\d{10}),\s*"[\d.]+",\s*"[\d.]+",\s*"[\d.]+",\s*"([\d.]+)",\s*"[\d.]+",\s*"[\d.]+",\s*(\d+)\s*\]/
        ).map { (Int64($0.1), String($0.2), Int64($0.3)) }
        #expect(sent.count == 720)
        let last = try #require(sent.last?.0)
        // As if asked in the middle of the last minute.
        let request = Kraken.Candles(
            pair: "XBTUSD", minutes: 1, since: .distantPast, now: Date(milliseconds: last * 1000 + 30_000))
        let quotes = try request.decode(body)
        let closed = sent.dropLast().filter { $0.2 ?? 0 > 0 }
        #expect(quotes.map(\.quotedAt.milliseconds) == closed.map { ($0.0 ?? 0) * 1000 + 60_000 })
        #expect(quotes.map(\.price.description) == closed.map { Recording.plain($0.1) })
    }

    @Test(arguments: ["\"x\"", "null", "\"\"", "0", "-1", "1e300", "1795233600000", "\"1795233600\"", "{}"])
    func `a candle whose time cannot be read is left out`(_ time: String) throws {
        let text = """
            {"error":[],"result":{"XXBTZUSD":[[\(time),"1","1","1","2","1","1",1],[1795233600,"1","1","1","3","1","1",1]],
             "last":1795233600}}
            """
        let request = try #require(try page(.hours(6), .zero)?.request as? Kraken.Candles)
        #expect(try request.decode(Data(text.utf8)).map(\.price.description) == ["3"])
    }

    @Test func `an error beside the result is one`() async throws {
        let time = ManualTime()
        let transport = ScriptedTransport(time, [.json(#"{"error":["EQuery:Unknown asset pair"]}"#)])
        let feed = try scriptedFeed(Kraken(), transport, time)
        let page = try #require(try page(.hours(6), .zero))
        await #expect { try await feed.past(page, within: .seconds(9)) } throws: {
            ($0 as? FeedError)?.kind == .notFound
        }
    }

    @Test func `providers without a past say so`() throws {
        let time = ManualTime()
        let transport = ScriptedTransport(time, [.json("[]")])
        for provider in [CoinPaprika(plan: .public), CoinMarketCap(plan: .demo)] as [any Provider] {
            let feed = try scriptedFeed(provider, transport, time)
            #expect(!feed.offersPast)
            #expect(
                feed.pastPage(
                    of: Watch.Entry(try MarketID("a")), in: try Currency("usd"), (Self.now - .hours(2))..<Self.now,
                    now: Self.now) == nil)
        }
    }
}
