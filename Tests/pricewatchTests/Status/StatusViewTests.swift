import Engine
import Foundation
import Markets
import Testing

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

    @Test(
        "a screen holds as many markets as fit, counts the others, and keeps the alerts",
        arguments: [5, 8, 12, 16, 24, 40, 60], [0, 1, 9])
    func rows(rows: Int, firing: Int) throws {
        let lines = try view(document(markets: 30, firing: firing), width: 80).lines(rows: rows)
        #expect(lines.count <= rows)
        #expect(
            lines.first == "ok: 30 markets, polled 10 s ago from coingecko"
                + (firing > 0 ? ", \(firing) alert\(firing == 1 ? "" : "s") firing" : ""))
        let shown = lines.count { $0.hasPrefix("market-") }
        if rows >= 8 {
            #expect(shown == 30 || lines.contains("and \(30 - shown) more"))
            #expect(shown > 0)
        }
        #expect(lines.contains { $0.hasPrefix("firing rule-0") } == (firing > 0))
        if rows == 60 { #expect(shown == 30) }
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
