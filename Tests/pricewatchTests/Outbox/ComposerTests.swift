import Engine
import Foundation
import History
import Markets
import Testing

@testable import pricewatch

@Suite struct ComposerTests {
    private static let channels = """
        notify:
          phone: {exec: [/bin/true], quiet: "23:00-07:00"}
          ops: {exec: [/bin/true]}
          brief: {exec: [/bin/true], send_resolved: false}
        """
    private static let day = Told.now
    private static let night = Told.now + .hours(14)

    private func composer(_ rules: String = "") throws -> Composer {
        let routing = Routing(try configuration(Self.channels + "\nwatch: {markets: [bitcoin]}\n" + rules))
        return Composer(routing, identity: .init(installation: "i", host: "box", currency: .usd))
    }

    private func changes(_ events: [AlertEvent]) -> AlertBook.Changes {
        var changes = AlertBook.Changes()
        changes.events = events
        return changes
    }

    private func event(
        _ id: String, _ kind: AlertEvent.Kind = .firing, rule: String = "r", critical: Bool = false,
        silenced: Bool = false
    ) -> AlertEvent {
        var event = Told.event(kind: kind, rule: rule, severity: critical ? .critical : .warning)
        event.id = id
        event.silencedUntil = silenced ? Self.day + .hours(1) : nil
        return event
    }

    private func words(_ record: AlertRecord) -> [String] {
        record.messages.map { message in
            let events = message.contents.events.map(\.id).joined(separator: "+")
            return "\(message.queued.channel) \(events)\(message.queued.isHeld ? " held" : "")"
        }
    }

    @Test(
        "a rule's notify names its channels; without it, and for built-in rules, all; [] none",
        arguments: [
            ("r", ["phone a", "ops a", "brief a"]), ("one", ["ops a"]), ("none", []),
            ("feed-stale", ["phone a", "ops a", "brief a"]), ("market-stale", ["phone a"]),
        ])
    func routing(rule: String, expected: [String]) throws {
        var composer = try composer(
            """
            alerts:
              - {name: r, market: bitcoin, above: 1}
              - {name: one, market: bitcoin, above: 1, notify: [ops]}
              - {name: none, market: bitcoin, above: 1, notify: []}
              - {name: market-stale, notify: [phone]}
            """)
        #expect(words(composer.record(changes([event("a", rule: rule)]), at: Self.day)) == expected)
    }

    @Test("pending and silenced events are not sent, reminders are")
    func kinds() throws {
        var composer = try composer("alerts: [{name: r, market: bitcoin, above: 1, notify: [ops]}]")
        #expect(words(composer.record(changes([event("a", .pending)]), at: Self.day)) == [])
        #expect(words(composer.record(changes([event("b", silenced: true)]), at: Self.day)) == [])
        #expect(words(composer.record(changes([event("c", .reminder)]), at: Self.day)) == ["ops c"])
    }

    @Test("the end is told where the beginning was, whatever became of the rule; send_resolved: false hears no end")
    func ends() throws {
        var composer = try composer("alerts: [{name: r, market: bitcoin, above: 1, notify: [ops, brief]}]")
        let fired = composer.record(changes([event("a")]), at: Self.day)
        #expect(words(fired) == ["ops a", "brief a"])
        #expect(fired.told == [event("a").key: ["brief", "ops"]])
        // The rule is gone, or goes elsewhere now.
        let rules = try configuration(
            Self.channels + "\nalerts: [{name: r, market: bitcoin, above: 1, notify: [phone]}]")
        var later = Composer(
            Routing(rules), identity: .init(installation: "i", host: "box", currency: .usd), told: composer.told)
        let over = later.record(changes([event("b", .resolved)]), at: Self.day)
        #expect(words(over) == ["ops b"])
        #expect(over.told == [event("a").key: []])
        #expect(words(later.record(changes([event("c", .resolved)]), at: Self.day)) == [])
    }

    @Test("five events of one poll are five messages, six are one", arguments: [1, 5, 6, 250])
    func grouping(count: Int) throws {
        var composer = try composer("alerts: [{name: r, market: bitcoin, above: 1, notify: [ops]}]")
        let events = (1...count).map { event("e\($0)") }
        let messages = composer.record(changes(events), at: Self.day).messages
        #expect(messages.count == (count > 5 ? 1 : count))
        #expect(messages.flatMap(\.contents.events) == events)
    }

    @Test("at night the phone is told what is critical; the rest is held for it, and for nobody else")
    func quiet() throws {
        var composer = try composer("alerts: [{name: r, market: bitcoin, above: 1, notify: [phone, ops]}]")
        let events = [event("a"), event("b", critical: true), event("c")]
        #expect(
            words(composer.record(changes(events), at: Self.night)) == [
                "phone b", "phone a held", "phone c held", "ops a", "ops b", "ops c",
            ])
    }

    @Test("the id follows from channel and events alone")
    func ids() throws {
        var (first, second) = (try composer(), try composer())
        let once = first.record(changes([event("a")]), at: Self.day).messages.map(\.queued.id)
        let again = second.record(changes([event("a")]), at: Self.night).messages.map(\.queued.id)
        #expect(once == again)
        #expect(Set(once).count == 3)
        #expect(once.allSatisfy { $0.count == 16 })
        #expect(MessageID.of(["a", "b"], to: "ops") != MessageID.of(["a"], to: "ops"))
        #expect(MessageID.of(["ab"], to: "c") != MessageID.of(["b"], to: "ca"))
    }

    @Test("after a gap one message a channel tells of it, with what changed")
    func gap() throws {
        var composer = try composer("alerts: [{name: r, market: bitcoin, above: 1, notify: [ops]}]")
        let gap = Gap(
            from: Self.day - .hours(3), to: Self.day, healed: 12, healing: ["a", "b", "c", "d", "e", "f"].map(Told.id))
        let record = composer.record(changes([event("a")]), at: Self.day, after: gap)
        #expect(words(record) == ["phone ", "ops a", "brief "])
        let notes = try record.messages.map { message in
            try #require(Message(message.queued.id, message.contents))
        }.map { message -> Note? in if case .note(let note) = message.content { note } else { nil } }
        let lines = notes.map { $0?.lines ?? [] }
        #expect(notes.map { $0?.title } == Array(repeating: "Nothing was watched for 3 h", count: 3))
        #expect(lines[0].first == "from 2026-11-21T07:00:00Z to 2026-11-21T10:00:00Z")
        #expect(lines[0][1] == "healed so far: 12 prices")
        #expect(lines[0][2] == "being healed now: a, b, c, d, e and 1 more; the log tells what the provider had")
        #expect(lines[0].last == "no alert changed")
        #expect(lines[1].last?.contains("BTC") == true)
        #expect(notes[1]?.events == [event("a")])
    }

    @Test("a gap of ten minutes is not worth a message")
    func shortGap() {
        #expect(Gap(from: Self.day - .minutes(10), to: Self.day) == nil)
        #expect(Gap(from: Self.day - .seconds(601), to: Self.day) != nil)
    }

    @Test("the digest goes to the channels that it names, once for its moment")
    func digest() throws {
        let composer = try composer("digest: {at: 7:00, notify: [phone]}")
        let summary = DaySummary(
            changes: [(Told.id("solana"), Percent(hundredths: 810)), (Told.id("tether"), nil)],
            coverage: CoverageShare(tenths: 997))
        let messages = composer.digest(summary, due: Self.day, at: Self.day + .seconds(7))
        #expect(messages.map(\.queued.channel) == ["phone"])
        #expect(
            messages.map(\.queued.id)
                == composer.digest(summary, due: Self.day, at: Self.day + .minutes(1)).map(\.queued.id))
        let message = try #require(messages.first)
        let text = MessageText(try #require(Message(message.queued.id, message.contents)))
        #expect(text.headline == "24h: 1 up, 0 down, 0 flat, 1 unknown")
        #expect(text.lines == ["99.7 % of the time covered", "up most: solana +8.1 %", "pricewatch on box"])
    }
}
