import Engine
import Foundation
import Markets
import Testing

@testable import Channels
@testable import pricewatch

@Suite struct HeadlineTests {
    private typealias Condition = AlertRule.Condition

    private static let hour = Duration.hours(1)
    private static let five = Percent(hundredths: 500)

    static let table: [(event: AlertEvent, line: String)] = [
        // The contract's own example.
        (
            Told.event(.falls(five, within: hour), change: "-5.2", threshold: "60116", rule: "fast-drop"),
            "▼ BTC 59,990 usd, −5.2 % in 1h (fast-drop)"
        ),
        (Told.event(), "▼ BTC 59,990 usd, below 60,000 (btc-below-60k)"),
        (
            Told.event(.above(Told.price("60000")), price: "60000.5", rule: "up"),
            "▲ BTC 60,000.5 usd, above 60,000 (up)"
        ),
        (
            Told.event(
                .outside(low: Told.price("0.99"), high: Told.price("1.01")), price: "0.9876", rule: "usdt-peg",
                market: "tether", symbol: "usdt"), "▼ USDT 0.9876 usd, below 0.99 (usdt-peg)"
        ),
        (
            Told.event(
                .outside(low: Told.price("0.99"), high: Told.price("1.01")), price: "1.0101", rule: "usdt-peg",
                symbol: "usdt"), "▲ USDT 1.0101 usd, above 1.01 (usdt-peg)"
        ),
        (Told.event(.rises(five, within: hour), change: "7", rule: "pump"), "▲ BTC 59,990 usd, +7 % in 1h (pump)"),
        (Told.event(.moves(five, within: .hours(24)), change: "-7", rule: "mv"), "▼ BTC 59,990 usd, −7 % in 1d (mv)"),
        (Told.event(.moves(five, within: .hours(24)), change: "7", rule: "mv"), "▲ BTC 59,990 usd, +7 % in 1d (mv)"),
        (Told.event(.newHigh(.hours(720)), change: "0.1", rule: "hi"), "▲ BTC 59,990 usd, highest in 30d (hi)"),
        (Told.event(.newLow(.hours(720)), change: "-0.1", rule: "lo"), "▼ BTC 59,990 usd, lowest in 30d (lo)"),
        (
            Told.event(.stale(.minutes(10)), quotedAt: Told.now - .minutes(12), since: nil, late: nil),
            "⚠ BTC: no new price for 12m (btc-below-60k)"
        ),
        (
            Told.event(.marketStale(.minutes(10)), price: nil, rule: "market-stale", quotedAt: nil),
            "⚠ BTC: no new price for 10m (market-stale)"
        ),
        (
            Told.event(.marketMissing(answers: 3), price: nil, rule: "market-missing", symbol: ""),
            "⚠ bitcoin: no usable price in 3 answers (market-missing)"
        ),
        (
            Told.event(.feedStale(.minutes(10)), price: nil, rule: "feed-stale", market: "coingecko", symbol: ""),
            "⚠ coingecko: no usable answer for 10m (feed-stale)"
        ),
        // Reminders.
        (
            Told.event(kind: .reminder, reason: .repeatInterval, rule: "r"),
            "▼ BTC still 59,990 usd, below 60,000 (r)"
        ),
        (Told.event(kind: .reminder, reason: .movedFurther, rule: "r"), "▼ BTC now 59,990 usd, below 60,000 (r)"),
        (
            // With `clear: 61000` it fires on.
            Told.event(price: "60500", kind: .reminder, reason: .silenceEnded, rule: "r"),
            "▼ BTC still 60,500 usd, not yet clear of 60,000 (r)"
        ),
        (
            Told.event(.newHigh(.hours(720)), change: "-2", kind: .reminder, reason: .repeatInterval, rule: "r"),
            "▲ BTC still 59,990 usd, −2 % from its 30d high (r)"
        ),
        (
            Told.event(
                .feedStale(.minutes(10)), price: nil, kind: .reminder, reason: .repeatInterval, rule: "feed-stale",
                market: "coingecko", symbol: "", since: Told.now - .hours(4)),
            "⚠ coingecko: still no usable answer for 4h10m (feed-stale)"
        ),
        // Ends.
        (
            Told.event(price: "61020", kind: .resolved, reason: .conditionEnded, rule: "r"),
            "✓ BTC 61,020 usd, no longer below 60,000 (r)"
        ),
        (
            Told.event(.falls(five, within: hour), change: "-1", kind: .resolved, reason: .conditionEnded, rule: "r"),
            "✓ BTC 59,990 usd, no longer −5 % in 1h (r)"
        ),
        (
            Told.event(
                .outside(low: Told.price("0.99"), high: Told.price("1.01")), price: "1", kind: .resolved,
                reason: .conditionEnded, rule: "r"), "✓ BTC 1 usd, back inside 0.99 to 1.01 (r)"
        ),
        (
            Told.event(.newHigh(.hours(720)), kind: .resolved, reason: .conditionEnded, rule: "r"),
            "✓ BTC 59,990 usd, no longer highest in 30d (r)"
        ),
        (
            Told.event(.stale(.minutes(10)), kind: .resolved, reason: .conditionEnded, rule: "r"),
            "✓ BTC 59,990 usd, prices are back (r)"
        ),
        (
            Told.event(
                .feedStale(.minutes(10)), price: nil, kind: .resolved, reason: .conditionEnded, rule: "feed-stale",
                market: "coingecko", symbol: ""), "✓ coingecko answers again (feed-stale)"
        ),
        (Told.event(kind: .resolved, reason: .edited, rule: "r"), "■ BTC 59,990 usd, the rule was edited (r)"),
        (Told.event(price: nil, kind: .resolved, reason: .unwatched, rule: "r"), "■ BTC: no longer watched (r)"),
        (Told.event(kind: .resolved, reason: .expired, rule: "r"), "■ BTC 59,990 usd, the rule has expired (r)"),
        (Told.event(kind: .pending, reason: .firstMet, rule: "r"), "○ BTC 59,990 usd, below 60,000 (r)"),
        // The widest and the smallest.
        (
            Told.event(.below(Told.price("0.000000001")), price: "0.00000000099999", rule: "dust", symbol: "shib"),
            "▼ SHIB 0.00000000099999 usd, below 0.000000001 (dust)"
        ),
        (
            Told.event(.above(Told.price("1000000000000")), price: "1000000000001", rule: "moon"),
            "▲ BTC 1,000,000,000,001 usd, above 1,000,000,000,000 (moon)"
        ),
        // What does not fit gives way: the rule first.
        (
            Told.event(rule: "tell me when bitcoin falls below sixty thousand"),
            "▼ BTC 59,990 usd, below 60,000 (tell me when bitcoin falls…)"
        ),
        (Told.event(rule: "a\nb\u{1b}[31m"), "▼ BTC 59,990 usd, below 60,000 (a b\\u001b[31m)"),
    ]

    @Test(arguments: table)
    func `a line for every condition`(event: AlertEvent, line: String) {
        #expect(Headline(event).text() == line)
        #expect(line.unicodeScalars.count <= 60, "\(line.unicodeScalars.count)")
    }

    @Test(arguments: ["x", "👨‍👩‍👧‍👦", "\u{301}", "\"", "\n", "@everyone", "&<>*_"])
    func `whatever names are, the line stands alone within 60 characters`(character: String) {
        let long = String(repeating: character, count: 4000)
        for condition in HeadlineTests.table.map(\.event.condition) {
            var event = Told.event(price: "0.000000000000000001", rule: long, symbol: long, name: long)
            event.condition = condition
            for kind in AlertEvent.Kind.allCases {
                event.kind = kind
                event.reason = kind == .resolved ? .conditionEnded : .firstFiring
                let line = Headline(event).text()
                #expect(line.unicodeScalars.count <= 60)
                #expect(!line.contains { $0.isNewline })
            }
        }
    }
}

@Suite struct ConditionReadingTests {
    @Test(arguments: [
        AlertRule.Condition.above(Told.price("0.1")), .below(Told.price("60000")),
        .outside(low: Told.price("0.99"), high: Told.price("1.01")),
        .rises(Percent(hundredths: 525), within: .minutes(90)), .falls(Percent(hundredths: 500), within: .hours(1)),
        .moves(Percent(hundredths: 1), within: .hours(24)), .newHigh(.hours(720)), .newLow(.hours(168)),
        .stale(.minutes(10)), .marketStale(.minutes(10)), .marketMissing(answers: 3), .feedStale(.minutes(10)),
    ])
    func `reads back what an event carries`(condition: AlertRule.Condition) {
        #expect(AlertRule.Condition(reading: condition.description) == condition)
    }

    @Test(arguments: ["", "above", "above x", "above 1 2", "above 1.0", "rises 5 within 1h", "no no no no no no"])
    func `and nothing else`(text: String) {
        #expect(AlertRule.Condition(reading: text) == nil)
    }
}
