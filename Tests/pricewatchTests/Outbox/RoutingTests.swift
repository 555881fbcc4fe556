import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// What the configuration says of channels, and how notes read on them.
@Suite struct RoutingTests {
    @Test(
        "a rule's notify names its channels; without it, and for built-in rules, all; [] none",
        arguments: [
            ("r", ["phone", "ops", "brief"]), ("one", ["ops"]), ("none", []),
            ("feed-stale", ["phone", "ops", "brief"]), ("market-stale", ["phone"]),
        ])
    func rules(name: String, expected: [String]) throws {
        let routing = Routing(
            try configuration(
                """
                notify:
                  phone: {exec: [/bin/true], quiet: "23:00-07:00"}
                  ops: {exec: [/bin/true]}
                  brief: {exec: [/bin/true], send_resolved: false}
                watch: {markets: [bitcoin]}
                alerts:
                  - {name: r, market: bitcoin, above: 1}
                  - {name: one, market: bitcoin, above: 1, notify: [ops]}
                  - {name: none, market: bitcoin, above: 1, notify: []}
                  - {name: market-stale, notify: [phone]}
                digest: {at: 7:00, notify: [phone]}
                """))
        let event = Told.event(rule: name)
        #expect(routing.channels.filter { routing.sends(event, to: $0, notified: []) }.map(\.name) == expected)
        #expect(routing.channels.map(\.sendResolved) == [true, true, false])
        #expect(routing.channels.map(\.quiet) == [QuietHours("23:00-07:00"), nil, nil])
        #expect(routing.digest == ["phone"])
    }

    @Test("the message of a gap names what changed, in the words of the alerts")
    func gap() throws {
        let gap = try #require(Gap(from: Told.now - .hours(3), to: Told.now, backfilled: 12))
        let note = Note(gap, changed: [Told.event()], at: Told.now, host: "box", in: .utc)
        let text = MessageText(Message(id: "m", events: note.events, note: note))
        #expect(text.headline == "Nothing was watched for 3 h")
        #expect(
            text.lines == [
                "from 2026-11-21 07:00:00 to 10:00:00 UTC", "backfilled so far: 12 prices",
                "what changed meanwhile, as far as it is known:",
                "▼ BTC 59,990 usd, below 60,000 (btc-below-60k)", "pricewatch on box",
            ])
    }

    @Test("the day's summary says how the markets moved, and which of them most")
    func digest() {
        let summary = DaySummary(
            changes: [(Told.id("solana"), Percent(hundredths: 810)), (Told.id("tether"), nil)],
            coverage: Percent(hundredths: 9970))
        let text = MessageText(
            Message(id: "m", note: Note(digest: summary, at: Told.now, host: "box")))
        #expect(text.headline == "24h: 1 up, 0 down, 0 flat, 1 unknown")
        #expect(text.lines == ["99.7 % of the time covered", "up most: solana +8.1 %", "pricewatch on box"])
    }
}
