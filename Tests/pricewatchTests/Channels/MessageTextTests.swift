import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

@Suite struct MessageTextTests {
    @Test func `a single event has its line and what there is to know`() {
        let event = Told.event(
            .falls(Percent(hundredths: 500), within: .hours(1)), change: "-5.2", threshold: "60116.4",
            rule: "fast-drop",
            severity: .critical, note: "sell the boat\nand the car", late: 7300)
        #expect(
            MessageText(Told.message(event)).fitted(toBytes: 4096) == """
                ▼ BTC 59,990 usd, −5.2 % in 1h (fast-drop)
                sell the boat
                and the car
                Bitcoin (bitcoin): falls 5% within 1h, critical
                threshold 60,116.4 usd
                up to 2h1m late: nothing was watched meanwhile
                quoted 2026-11-21 10:00:00 UTC by coingecko
                rule fast-drop on box
                """)
    }

    @Test func `the end says since when it fired`() {
        let event = Told.event(kind: .resolved, reason: .conditionEnded, since: Told.now - .hours(2))
        #expect(MessageText(Told.message(event)).lines.contains("fired 2026-11-21 08:00:00 UTC"))
    }

    @Test func `several say how many and the worst, then a line each`() {
        let events = [
            Told.event(rule: "a", symbol: "aaa"),
            Told.event(
                .feedStale(.minutes(10)), kind: .resolved, reason: .conditionEnded, rule: "feed-stale",
                severity: .critical),
            Told.event(.falls(Percent(hundredths: 500), within: .hours(1)), change: "-5.2", rule: "b", symbol: "bbb"),
            Told.event(.falls(Percent(hundredths: 500), within: .hours(1)), change: "-9.1", rule: "c", symbol: "ccc"),
        ]
        let text = MessageText(Message(id: "m", events: events))
        #expect(text.headline == "4 alerts, worst: ▼ CCC 59,990 usd, −9.1 % in 1h (c)")
        #expect(text.lines.count == 4)
        #expect(text.lines[0] == "▼ AAA 59,990 usd, below 60,000 (a)")
    }

    @Test func `over a longer time each line has its own`() {
        let events = [
            Told.event(rule: "a", at: Told.now - .hours(3)),
            Told.event(kind: .resolved, reason: .conditionEnded, rule: "a"),
        ]
        let text = MessageText(Message(id: "m", events: events))
        #expect(text.lines.map { String($0.prefix(11)) } == ["07:00 UTC ▼", "10:00 UTC ✓"])
    }

    @Test func `when all is over, the line says so`() {
        let over = Told.event(price: "61000", kind: .resolved, reason: .conditionEnded)
        let text = MessageText(Told.message(over, over))
        #expect(text.headline == "2 alerts resolved: ✓ BTC 61,000 usd, no longer below 60,000")
    }

    @Test(arguments: [(6, 200), (100, 500), (100, 2000), (100, 4096), (5000, 2000)])
    func `a list that is too long says how many more there are`(count: Int, limit: Int) throws {
        let events = (0..<count).map { Told.event(rule: "rule number \($0)") }
        let text = MessageText(Message(id: "m", events: events)).fitted(toBytes: limit)
        #expect(text.utf8.count <= limit)
        let lines = text.split(separator: "\n")
        let last = try #require(lines.last)
        let more = try #require(Int(last.split(separator: " ")[1]))
        #expect(lines.count - 2 + more == count)
        #expect(last == "and \(more) more")
    }

    static let hostile = ["x", "👨‍👩‍👧‍👦", "e\u{301}", "\"", "\\", "a\n", "*", "&", "\u{202e}", "🇪🇺"]

    @Test(arguments: hostile, [60, 100, 2000, 4096, 40_000])
    func `a name of 4,000 characters arrives whole or shortened, never in the middle of a scalar`(
        character: String, limit: Int
    ) {
        let name = String(repeating: character, count: 4000)
        let message = Told.message(Told.event(name: name, note: "keep me"))
        let text = MessageText(message).fitted(toBytes: limit)
        #expect(text.utf8.count <= limit)
        #expect(text.hasPrefix("▼ BTC 59,990 usd, below 60,000 (btc-below-60k)"))
        if limit >= 2000 {
            #expect(text.contains("keep me") && text.contains("rule btc-below-60k on box"))
            let shown = name.asOneLine
            let isWhole = text.contains("\(shown) (bitcoin)")
            #expect(isWhole || text.contains("…"))
        }
    }
}
