import Foundation
import HTTP
import Markets
import Testing

@testable import Feeds

func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

func jsonFeed(
    _ url: String, price: String, id: String? = nil, quotedAt: String? = nil, list: String = "",
    timeFormat: JSONFeed.TimeFormat = .iso8601
) throws -> JSONFeed {
    var fields = JSONFeed.Fields(price: try pointer(price))
    fields.id = try id.map(pointer)
    fields.quotedAt = try quotedAt.map(pointer)
    var feed = JSONFeed(url: try #require(URLTemplate(url)), list: try pointer(list), fields: fields)
    feed.timeFormat = timeFormat
    return feed
}

@Suite("Feeds that their owner describes")
struct JSONFeedTests {
    let time = ManualTime()

    func poll(_ feed: JSONFeed, _ body: String, _ watch: Watch) async throws -> (PollResult, [String]) {
        let transport = ScriptedTransport(time, [.json(body)])
        let report = try await scriptedFeed(feed, transport, time, key: Secret("key/1"), url: feed.url.base)
            .poll(watch, within: .seconds(60))
        return (report, transport.requests.map(\.url))
    }

    @Test func aList() async throws {
        let feed = try jsonFeed(
            "https://x.test/v1?s={ids}&c={currency}", price: "/last", id: "/sym", quotedAt: "/t",
            timeFormat: .epochSeconds)
        let body = """
            [{"sym":"AAPL","last":231.10,"t":1732179600},{"sym":"B&B","last":"0.1","t":"1732179601.5"},\
            {"sym":7,"last":3,"t":null},{"sym":"X","last":null},{"sym":"Y"},{"sym":"Z","last":"n/a"},{"last":1}]
            """
        let (report, urls) = try await poll(feed, body, try mapped("apple=AAPL", "B&B", "7", "X", "Y", "Z", "gone"))
        #expect(urls == ["https://x.test/v1?s=AAPL,B%26B,7,X,Y,Z,gone&c=usd"])
        let answer = try #require(report.answer, "\(report.error?.message ?? "")")
        #expect(answer.prices == ["apple": "231.1", "B&B": "0.1", "7": "3"])
        #expect(answer.quotes.map(\.quotedAt?.milliseconds) == [1_732_179_600_000, 1_732_179_601_500, nil])
        #expect(
            answer.unusable == [
                try MarketID("X"): .nullPrice, try MarketID("Y"): .nullPrice, try MarketID("Z"): .badPrice,
            ])
        #expect(answer.missing == (try ids("gone")))
    }

    @Test("an id that stands twice with two prices of one time has no price; else the newer one counts")
    func contradiction() async throws {
        let feed = try jsonFeed(
            "https://x.test/{ids}", price: "/p", id: "/s", quotedAt: "/t", timeFormat: .epochSeconds)
        let body = """
            [{"s":"A","p":1},{"s":"A","p":2},{"s":"B","p":1},{"s":"B","p":1.0},{"s":"C","p":2,"t":1732179601},\
            {"s":"C","p":1,"t":1732179600},{"s":"D","p":1,"t":1732179600},{"s":"D","p":2,"t":1732179600}]
            """
        let answer = try #require(try await poll(feed, body, try mapped("A", "B", "C", "D")).0.answer)
        #expect(answer.prices == ["B": "1", "C": "2"])
        #expect(answer.unusable == [try MarketID("A"): .badPrice, try MarketID("D"): .badPrice])
    }

    @Test("a price in words is quoted, bounded and without control characters")
    func words() async throws {
        let feed = try jsonFeed("https://x.test/{id}", price: "/last")
        for (text, shown) in [
            ("1,234.50", "1,234.50"), ("a\\u001b" + String(repeating: "b", count: 500), "a\\u001bbbb"),
        ] {
            let report = try await poll(feed, "{\"last\":\"\(text)\"}", try mapped("A")).0
            let message = try #require(report.error?.message)
            #expect(message.contains("there is the text \"\(shown)") && message.count < 200, "\(message)")
        }
    }

    @Test(
        "a server of the owner's that answers with a web page is asked again soon, and never after more than 15 minutes"
    )
    func blocked() async throws {
        let transport = ScriptedTransport(time, [.json("<html></html>")])
        let feed = try scriptedFeed(try jsonFeed("https://x.test/{id}", price: "/last"), transport, time)
        var minutes: [Int64] = []
        for _ in 0..<6 {
            let error = try #require(try await feed.poll(try mapped("A"), within: .seconds(60)).error)
            #expect(error.kind == .blocked && error.message.contains("check url"), "\(error.message)")
            let wait = try #require(error.retryAt).since(time.now())
            minutes.append(wait.inMilliseconds / 60_000)
            time.step(wait)
        }
        #expect(minutes == [1, 2, 4, 8, 15, 15])
    }

    @Test(
        "a URL that names no market, asked for one: the whole document is that market",
        arguments: [
            (#"{"price":{"usd":2650.5},"n":1}"#, "/price/usd", ""), (#"2650.5"#, "", ""),
            (#"[{"p":2650.5}]"#, "/p", ""),
            (#"{"data":{"p":"2650.5"}}"#, "/p", "/data"), (#"{"data":[7,2650.5]}"#, "/data/1", ""),
            // Keyed by id, as with several markets.
            (#"{"XAU":{"p":2650.5},"XAG":{"p":31}}"#, "/p", ""), (#"{"XAU":2650.5,"XAG":31}"#, "", ""),
        ])
    func wholeDocument(body: String, price: String, list: String) async throws {
        let feed = try jsonFeed("https://x.test/spot", price: price, list: list)
        let (report, urls) = try await poll(feed, body, try mapped("gold=XAU"))
        #expect(urls == ["https://x.test/spot"])
        #expect(report.answer?.prices == ["gold": "2650.5"], "\(report.error?.message ?? "")")
    }

    @Test(
        "a time in another form than configured: what to write",
        arguments: [
            ("1732179600", JSONFeed.TimeFormat.iso8601, "epoch_s"), ("1732179600123", .iso8601, "epoch_ms"),
            (#""1732179600""#, .iso8601, "epoch_s"), ("1732179600123", .epochSeconds, "epoch_ms"),
            ("1732179600", .epochMilliseconds, "epoch_s"), (#""2026-11-21T10:00:00Z""#, .epochSeconds, "iso8601"),
            (#""yesterday""#, .iso8601, nil), ("7", .iso8601, nil),
        ] as [(String, JSONFeed.TimeFormat, String?)])
    func timeFormat(time: String, format: JSONFeed.TimeFormat, hint: String?) async throws {
        let feed = try jsonFeed("https://x.test/{id}", price: "/p", quotedAt: "/t", timeFormat: format)
        let (report, _) = try await poll(feed, #"{"p":1,"t":\#(time)}"#, try mapped("gold=XAU"))
        let message = try #require(report.error?.message)
        #expect(message.contains("does not fit fields.quoted_at: /t: there is "))
        #expect(message.contains("where a time in the form \(format.rawValue) is expected"))
        #expect(
            message.contains(hint.map { "; set time_format: \($0)" } ?? "time_format") == (hint != nil), "\(message)")
    }

    @Test("a time that cannot be read is none: its price could be of any age, and stay fresh for ever")
    func unreadableTime() async throws {
        let feed = try jsonFeed(
            "https://x.test/v1?s={ids}", price: "/last", id: "/sym", quotedAt: "/t", timeFormat: .epochSeconds)
        let body = """
            [{"sym":"A","last":1,"t":1732179600},{"sym":"B","last":2,"t":"yesterday"},{"sym":"C","last":3,"t":0},\
            {"sym":"D","last":4,"t":null},{"sym":"E","last":5},{"sym":"F","last":0,"t":"yesterday"}]
            """
        let (report, _) = try await poll(feed, body, try mapped("A", "B", "C", "D", "E", "F"))
        let answer = try #require(report.answer)
        #expect(answer.prices == ["A": "1", "D": "4", "E": "5"])
        #expect(
            answer.unusable == [
                try MarketID("B"): .badPrice, try MarketID("C"): .badPrice, try MarketID("F"): .badPrice,
            ])
    }

    @Test func anObjectKeyedByID() async throws {
        let feed = try jsonFeed("https://x.test/all", price: "/p", list: "/data")
        let body = #"{"data":{"AAPL":{"p":"231.10"},"MSFT":{"p":4e2},"OTHER":{"p":1}}}"#
        let (report, urls) = try await poll(feed, body, try mapped("AAPL", "MSFT"))
        #expect(urls == ["https://x.test/all"])
        #expect(report.answer?.prices == ["AAPL": "231.1", "MSFT": "400"])
    }

    @Test func nestedAndEscaped() async throws {
        let feed = try jsonFeed(
            "https://x.test", price: "/quote/0/us~1d", id: "/meta/id~0", quotedAt: "/at", list: "/r/1",
            timeFormat: .iso8601)
        let body =
            #"{"r":[[],[{"meta":{"id~":"A"},"quote":[{"us/d":1.5}],"at":"2026-11-21T09:00:00+01:00"}]]}"#
        let (report, _) = try await poll(feed, body, try mapped("A"))
        #expect(report.answer?.prices == ["A": "1.5"])
        #expect(report.answer?.quotes.first?.quotedAt == Date(utcText: "2026-11-21T08:00:00Z"))
    }

    @Test func priceAlone() async throws {
        let (report, _) = try await poll(
            try jsonFeed("https://x.test", price: ""), #"{"A":1.5,"B":"2"}"#, try mapped("A", "B"))
        #expect(report.answer?.prices == ["A": "1.5", "B": "2"])
        let (single, _) = try await poll(try jsonFeed("https://x.test/{id}", price: ""), "77123.45", try mapped("A"))
        #expect(single.answer?.prices == ["A": "77123.45"])
    }

    @Test(arguments: [#"{"last":5}"#, #"[{"last":5}]"#, #"{"A b":{"last":5}}"#])
    func oneRequestAMarket(_ body: String) async throws {
        let feed = try jsonFeed("https://x.test/q/{id}?token={key}", price: "/last")
        let (report, urls) = try await poll(feed, body, try mapped("ours=A b"))
        #expect(urls == ["https://x.test/q/A%20b?token=key%2F1"])
        #expect(report.answer?.prices == ["ours": "5"])
    }

    @Test func aMarketThatCannotBeReadLeavesTheOthersAlone() async throws {
        let transport = ScriptedTransport(time) { _, request in
            request.url.hasSuffix("bad") ? .json("{}") : .json(#"{"last":5}"#)
        }
        let feed = try jsonFeed("https://x.test/{id}", price: "/last")
        let answer = try #require(
            try await scriptedFeed(feed, transport, time, url: "https://x.test").poll(
                try mapped("a", "b=1bad", "c=2bad", "d=3bad", "e"), within: .seconds(60)
            ).answer)
        #expect(answer.prices == ["a": "5", "e": "5"])
        #expect(answer.unreached == Set(try ids("b", "c", "d")))
        #expect(answer.pageError?.message.contains("fields.price: /last: nothing is there") == true)
    }

    @Test func headersAndKeyAndContentType() async throws {
        var feed = try jsonFeed("https://x.test/{ids}", price: "/p")
        feed.headers = [
            .init(name: "X-Token", value: Secret("Bearer {key}")), .init(name: "User-Agent", value: Secret("mine/1")),
        ]
        feed.acceptedContent = .any
        let reply = HTTPAnswer(
            status: 200, headers: ["Content-Type": "text/plain"], body: Data(#"{"A":{"p":1}}"#.utf8))
        let transport = ScriptedTransport(time, [.success(reply)])
        let loose = try scriptedFeed(feed, transport, time, key: Secret("key-1"), url: "https://x.test")
        #expect(try await loose.poll(try mapped("A"), within: .seconds(60)).answer?.prices == ["A": "1"])
        let sent = try #require(transport.requests.first?.headers)
        #expect(sent["x-token"] == "Bearer key-1" && sent["user-agent"] == "mine/1")
        #expect(sent.all.count { $0.name.lowercased() == "user-agent" } == 1)

        feed.acceptedContent = .json
        let strict = try scriptedFeed(feed, ScriptedTransport(time, [.success(reply)]), time)
        #expect(try await strict.poll(try mapped("A"), within: .seconds(60)).error?.kind == .contentType)
    }

    @Test func theKeyIsNowhereToBeSeen() async throws {
        let feed = try jsonFeed("https://x.test/{key}/{id}?t={key}", price: "/last")
        let transport = ScriptedTransport(time, [.json(#"{"error":"key hidden-1 is wrong"}"#, 401)])
        let report = try await scriptedFeed(feed, transport, time, key: Secret("hidden-1"), url: "https://x.test").poll(
            try mapped("A"), within: .seconds(60))
        #expect(transport.requests.first?.url == "https://x.test/hidden-1/A?t=hidden-1")
        let message = try #require(report.error?.message)
        #expect(report.error?.kind == .unauthorized && !message.contains("hidden-1"), "\(message)")
    }
}
