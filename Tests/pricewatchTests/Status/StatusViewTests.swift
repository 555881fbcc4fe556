import Foundation
import Markets
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

@Suite struct StatusViewTests {
    private static let now = ChartScene.moment(0)

    private func document(markets: Int, firing: Int = 0) throws -> StatusReport {
        let rows = (0..<markets).map { index in
            """
            {"market": "market-\(index)", "symbol": "m\(index)", "name": "M", "currency": "usd",
             "price": \(index == 1 ? "null" : "\"\(index * 1000).123456\""), "quoted_at": "2026-11-21T09:59:48Z",
             "state": "\(index == 1 ? "missing" : "fresh")", "reason": \(index == 1 ? "\"not_answered\"" : "null"),
             "change_24h_percent": \(index == 1 ? "null" : "\(Double(index) - 3.5)")}
            """
        }
        let alerts = (0..<firing).map {
            """
            {"rule": "rule-\($0)", "market": "market-0", "severity": "warning", "condition": "above 1"}
            """
        }
        let text = """
            {"state": "ok", "pid": 1, "written_at": "2026-11-21T10:00:00Z", "expires_at": "2026-11-21T10:01:00Z",
             "last_poll": {"at": "2026-11-21T09:59:50Z", "outcome": "ok", "feed": "coingecko"},
             "feeds": [{"name": "coingecko", "state": "serving", "requests_month": 3}],
             "summary_24h": {"up": 1, "down": 2, "flat": 0, "unknown": 1, "coverage_percent": 50.5,
                             "gainers": [{"market": "market-0", "change_percent": 3.5}], "losers": []},
             "markets": [\(rows.joined(separator: ","))], "markets_omitted": 0,
             "alerts": {"firing": [\(alerts.joined(separator: ","))], "pending": []}}
            """
        return try #require(StatusReport(json: Data(text.utf8)))
    }

    private func view(
        _ document: StatusReport, width: Int, trends: Bool = true, isTerminal: Bool = true, utf8: Bool = true
    ) throws -> StatusView {
        var shown = Trends(oldest: Self.now - .hours(48), every: .minutes(1), now: Self.now)
        for hour in 0..<24 {
            shown.add(
                try MarketID("market-0"), try #require(Price(parsing: "\(hour + 1)")),
                quotedAt: Self.now - .hours(23 - hour))
        }
        return StatusView(
            status: document, verdict: StatusVerdict(document, alive: true, file: "/run/status.json", now: Self.now),
            trends: trends ? shown : nil,
            terminal: Terminal(isTerminal: isTerminal, isUTF8: utf8, width: width), zone: .utc, now: Self.now)
    }

    @Test("a feed that fails in use is called failing, and the first day has its beginning")
    func firstDay() throws {
        var status = try document(markets: 3)
        status.feeds[0].state = .failing
        status.summary.watchedSince = Self.now - .minutes(7)
        let lines = try view(status, width: 90).lines
        #expect(lines.contains("feed coingecko: failing, 3 requests this month"))
        #expect(
            lines.contains(
                "24h: 1 up, 2 down, 0 flat, 1 unknown; 50.5 % of the time covered (watching began 7 min ago)"))
    }

    @Test("with its trends where there is room")
    func wide() throws {
        let text = try view(document(markets: 3), width: 90).lines.joined(separator: "\n")
        #expect(
            text == """
                ok: 3 markets, polled 10 s ago from coingecko

                feed coingecko: serving, 3 requests this month
                24h: 1 up, 2 down, 0 flat, 1 unknown; 50.5 % of the time covered
                  up most:   market-0 +3.5 %

                market    symbol       usd  24h %  last 24h                   age  state
                market-0  M0       0.12346  -3.50  ▁▁▁▂▂▂▃▃▃▄▄▄▅▅▅▆▆▆▇▇▇███  12 s  fresh
                market-1  M1             –      –                            12 s  missing (not_answered)
                market-2  M2      2,000.12  -1.50                            12 s  fresh
                """)
    }

    @Test("messages that quiet hours hold have a line for each channel, with the end in the owner's time")
    func held() throws {
        var document = try document(markets: 1)
        func lines() throws -> [String] {
            var view = try view(document, width: 90)
            view.zone = try #require(Zone(named: "Europe/Berlin"))
            return view.lines.filter { $0.contains("message") }
        }
        document.outbox = OutboxSize(queued: 5, oldest: Self.now - .minutes(3))
        #expect(try lines() == ["outbox: 5 messages wait, the oldest for 3 min"])
        document.outbox.held = [
            .init(channel: "phone", count: 3, until: Self.now + .hours(21)),
            .init(channel: "te\u{7}am", count: 1, until: Self.now + .hours(38)),
        ]
        #expect(
            try lines() == [
                "outbox: 1 message waits", "outbox: 3 messages held until 08:00 CET (phone)",
                "outbox: 1 message held until 2026-11-23 01:00 CET (te\\u0007am)",
            ])
        document.outbox.queued = 4
        #expect(try lines().count == 2)
        // The daemon is down, and the quiet over.
        document.outbox.held[0].until = Self.now - .hours(1)
        #expect(try lines().first == "outbox: 3 messages wait")
    }

    @Test("an alert whose price is not known says that its state is held, and a level held by an edit is shown")
    func heldAlerts() throws {
        var document = try document(markets: 2, firing: 2)
        document.firing[1].market = try MarketID("market-1")
        document.dormant = [
            .init(rule: "low\u{7}", market: try MarketID("savings"), condition: "below 5")
        ]
        func lines() throws -> [String] {
            try view(document, width: 90).lines.filter { $0.hasPrefix("firing ") || $0.hasPrefix("held ") }
        }
        #expect(
            try lines() == [
                "firing rule-0: market-0 above 1", "firing rule-1: market-1 above 1 (held: price unknown)",
                "held low\\u0007: savings below 5 since its amounts were edited, fires after it has ended",
            ])
        document.markets[1].state = .stale
        #expect(try lines()[1].hasSuffix(" (held: price stale)"))
        document.firing[1].condition = .stale(.minutes(10))
        #expect(try lines()[1].hasSuffix("market-1 stale 10m"), "a rule about the data is judged")
    }

    @Test("on a screen long errors take a row each, and the prices stay in sight")
    func longErrors() throws {
        var document = try document(markets: 1)
        let error = String(repeating: "connection refused ", count: 8)
        document.reasons = [.init(.pollFailed, error), .init(.standby, error)]
        let view = try view(document, width: 80)
        #expect(view.watchedLines.prefix(3).allSatisfy { $0.count == 80 && $0.hasSuffix("…") })
        #expect(view.lines.prefix(3).allSatisfy { $0.contains(error) })
    }

    @Test("one sample is one")
    func oneSample() throws {
        var document = try document(markets: 1)
        document.history = StoredHistory(database: "/h.db", bytes: 2048, samples: 1)
        #expect(try view(document, width: 80).lines.last == "history: 1 sample, 2 KiB, /h.db")
    }

    @Test("narrower, what can be missed goes first", arguments: [90, 76, 60])
    func widths(width: Int) throws {
        let table = try view(document(markets: 12), width: width).lines.drop { !$0.hasPrefix("market ") }
        #expect(table.count == 13)
        #expect(table.allSatisfy { Table.width($0) <= width }, "\(table)")
        let header = table.first ?? ""
        #expect(header.contains("symbol") == (width >= 76))
        #expect(header.contains("last 24h") == (width >= 60))
        #expect(header.contains("state") && header.contains("usd") && header.contains("24h %"))
        #expect(table.contains { $0.contains("missing") })
        #expect(table.contains { $0.contains("(not_answered)") } == (width >= 90))
    }

    @Test("a pipe gets whole ids and no trends")
    func pipe() throws {
        let lines = try view(document(markets: 2), width: 40, trends: false, isTerminal: false).lines
        #expect(lines.contains { $0.hasPrefix("market    symbol") })
        #expect(!lines.contains { $0.contains("last 24h") || $0.contains("\u{1B}") })
    }

    @Test("on a screen, which shows the beginning first, the alerts come before the markets; all is there")
    func watched() throws {
        let view = try view(document(markets: 30, firing: 3), width: 80)
        let lines = view.watchedLines
        #expect(lines.sorted() == view.lines.sorted())
        let (alert, market) = (
            lines.firstIndex { $0.hasPrefix("firing ") }, lines.firstIndex { $0.hasPrefix("market ") }
        )
        #expect(try #require(alert) < #require(market))
        #expect(lines.count { $0.hasPrefix("market-") } == 30)
    }

    @Test("an escape in a symbol keeps its own letters")
    func escape() throws {
        var document = try document(markets: 1)
        document.markets[0].symbol = "\u{7}x"
        #expect(try view(document, width: 90).lines.contains { $0.contains("\\u0007X") })
    }

    @Test("plain where the terminal knows no more than ASCII")
    func ascii() throws {
        let lines = try view(document(markets: 3), width: 90, utf8: false).lines
        #expect(lines.joined().utf8.allSatisfy { $0 < 0x80 })
    }
}
