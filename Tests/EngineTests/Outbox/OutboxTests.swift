import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct OutboxTests {
    /// It is 10:00 by day.
    private static let day = moment()
    private static let night = moment() + .hours(14)
    private static let channels = [
        Routing.Channel(name: "phone", quiet: QuietHours("23:00-07:00")), Routing.Channel(name: "ops"),
        Routing.Channel(name: "brief", sendResolved: false),
    ]
    private static let identity = AlertBook.Identity(installation: "i", host: "box", currency: usd())

    private func outbox(_ rules: AlertRule..., digest: [String] = []) -> Outbox {
        Outbox(Routing(Self.channels, rules: rules, digest: digest))
    }

    private func rule(_ name: String = "r", notify: [String]?) -> AlertRule {
        levelRule(name, above: "1", notify: notify)
    }

    private func take(_ events: [AlertEvent], at now: Date, after gap: Gap? = nil, _ outbox: inout Outbox) -> Commit {
        var commit = Commit()
        outbox.queue(events, after: gap, Self.identity, at: now, into: &commit)
        return commit
    }

    private func messages(_ commit: Commit) -> [OutgoingMessage] {
        commit.outbox.compactMap { if case .queue(let message) = $0 { message } else { nil } }
    }

    private func words(_ commit: Commit) -> [String] {
        messages(commit).map { message in
            let events = message.contents.events.map(\.id).joined(separator: "+")
            return "\(message.queued.channel) \(events)\(message.queued.isHeld ? " held" : "")"
        }
    }

    @Test(
        "a rule's notify names its channels; without it, and for rules of other names, all; [] none",
        arguments: [
            ("r", ["phone a", "ops a", "brief a"]), ("one", ["ops a"]), ("none", []),
            ("feed-stale", ["phone a", "ops a", "brief a"]), ("market-stale", ["phone a"]),
        ])
    func routing(name: String, expected: [String]) {
        var outbox = outbox(
            rule(notify: nil), rule("one", notify: ["ops"]), rule("none", notify: []),
            rule("market-stale", notify: ["phone"]))
        #expect(words(take([event("a", rule: name)], at: Self.day, &outbox)) == expected)
    }

    @Test("pending and silenced events are not sent, reminders are")
    func kinds() {
        var outbox = outbox(rule(notify: ["ops"]))
        #expect(words(take([event("a", .pending)], at: Self.day, &outbox)) == [])
        #expect(words(take([event("b", silencedUntil: Self.day + .hours(1))], at: Self.day, &outbox)) == [])
        #expect(words(take([event("c", .reminder)], at: Self.day, &outbox)) == ["ops c"])
    }

    @Test("the end goes where the beginning went, whatever became of the rule; send_resolved: false gets no end")
    func ends() {
        var before = outbox(rule(notify: ["ops", "brief"]))
        let fired = take([event("a")], at: Self.day, &before)
        #expect(words(fired) == ["ops a", "brief a"])
        #expect(fired.notified == [event("a").key: ["brief", "ops"]])
        // The rule is gone, or goes elsewhere now.
        var later = Outbox(Routing(Self.channels, rules: [rule(notify: ["phone"])]), notified: before.notified)
        let over = take([event("b", .resolved)], at: Self.day, &later)
        #expect(words(over) == ["ops b"])
        #expect(over.notified == [event("a").key: []])
        #expect(words(take([event("c", .resolved)], at: Self.day, &later)) == [])
    }

    @Test(
        "the events of a rule in one poll are one message; six of several rules are one, too",
        arguments: [1, 5, 6, 250])
    func grouping(count: Int) {
        var outbox = outbox(rule("a", notify: ["ops"]), rule("b", notify: ["ops"]))
        let same = (1...count).map { event("s\($0)", rule: "a") }
        #expect(messages(take(same, at: Self.day, &outbox)).map(\.contents.events) == [same])
        let mixed = (1...count).map { event("m\($0)", rule: $0 % 2 == 0 ? "a" : "b") }
        let sent = messages(take(mixed, at: Self.day, &outbox)).map(\.contents.events)
        let (odd, even) = (mixed.filter { $0.rule == "b" }, mixed.filter { $0.rule == "a" })
        #expect(sent == (count > 5 ? [mixed] : [odd, even].filter { !$0.isEmpty }))
    }

    @Test("what fires and what resolves of a rule goes as one message, but not to a channel without resolves")
    func mixedKinds() {
        var outbox = outbox(rule(notify: ["ops", "brief"]))
        _ = take([event("a", about: "b1")], at: Self.day, &outbox)
        let both = take([event("b", .resolved, about: "b1"), event("c", about: "b2")], at: Self.day, &outbox)
        #expect(words(both) == ["ops b+c", "brief c"])
    }

    @Test("a rule that became critical: what is critical is not held with what is not")
    func joinedWithCritical() {
        var outbox = outbox(rule(notify: ["phone"]))
        let events = [event("a"), event("b", critical: true), event("c", critical: true)]
        #expect(words(take(events, at: Self.night, &outbox)) == ["phone b+c", "phone a held"])
        #expect(words(take(events, at: Self.day, &outbox)) == ["phone a+b+c"])
        // By day they are one; at night it is critical as a whole.
        #expect(messages(take(events, at: Self.day, &outbox)).map(\.queued.isCritical) == [true])
    }

    @Test("held messages are counted with the end of their channel's quiet, those of an earlier evening too")
    func held() {
        var outbox = outbox(rule(notify: ["phone", "ops"]), rule("loud", notify: ["phone"]))
        _ = take([event("a")], at: Self.day, &outbox)
        #expect(outbox.size(at: Self.day).held.isEmpty)
        let morning = Self.day + .hours(21)
        #expect(outbox.size(at: Self.night).held == [.init(channel: "phone", count: 1, until: morning)])
        _ = take([event("b"), event("c", rule: "loud", critical: true)], at: Self.night, &outbox)
        #expect(outbox.size(at: Self.night).held == [.init(channel: "phone", count: 2, until: morning)])
        #expect(outbox.size(at: Self.night).queued == 5)
        #expect(outbox.size(at: morning).held.isEmpty)
    }

    @Test("at night the phone gets what is critical; the rest is held for it, and for no other channel")
    func quiet() {
        var outbox = outbox(rule(notify: ["phone", "ops"]))
        let events = [event("a"), event("b", critical: true), event("c")]
        #expect(
            words(take(events, at: Self.night, &outbox)) == [
                "phone b", "phone a+c held", "ops a+b+c",
            ])
    }

    @Test("the id follows from channel and events alone")
    func ids() {
        var (first, second) = (outbox(), outbox())
        let once = messages(take([event("a")], at: Self.day, &first)).map(\.queued.id)
        let again = messages(take([event("a")], at: Self.night, &second)).map(\.queued.id)
        #expect(once == again)
        #expect(Set(once).count == 3)
        #expect(once.allSatisfy { $0.count == 16 })
        #expect(StableID.of(["ops", "a", "b"]) != StableID.of(["ops", "a"]))
        #expect(StableID.of(["c", "ab"]) != StableID.of(["ca", "b"]))
    }

    @Test("after a gap one message a channel speaks of it, with what changed")
    func gap() throws {
        var outbox = outbox(rule(notify: ["ops"]))
        let gap = Gap(
            from: Self.day - .hours(3), to: Self.day, backfilled: 12,
            backfilling: ["a", "b", "c", "d", "e", "f"].map(market))
        let commit = take([event("a")], at: Self.day, after: gap, &outbox)
        #expect(words(commit) == ["phone ", "ops a", "brief "])
        let notes = messages(commit).map(\.contents.note)
        #expect(notes.map { $0?.title } == Array(repeating: "Nothing was watched for 3 h", count: 3))
        #expect(notes.map { $0?.kind } == [.gap, .gap, .gap])
        let lines = notes.map { $0?.lines ?? [] }
        #expect(lines[0].first == "from 2026-11-21 07:00:00 to 10:00:00 UTC")
        #expect(lines[0][1] == "backfilled so far: 12 prices")
        #expect(lines[0][2] == "being backfilled now: a, b, c, d, e and 1 more; the log shows what the provider had")
        #expect(lines[0].last == "no alert changed")
        #expect(lines[1].last == "what changed meanwhile, as far as it is known:")
        #expect(messages(commit)[1].contents.events == [event("a")])
    }

    @Test("a gap of ten minutes is not worth a message")
    func shortGap() {
        #expect(Gap(from: Self.day - .minutes(10), to: Self.day) == nil)
        #expect(Gap(from: Self.day - .seconds(601), to: Self.day) != nil)
    }

    @Test("the digest goes to the channels that it names, once for its moment")
    func digest() {
        let summary = DaySummary(
            changes: [(market("solana"), Percent(hundredths: 810)), (market("tether"), nil)],
            coverage: Percent(hundredths: 9970))
        func digest(at now: Date) -> [OutgoingMessage] {
            var outbox = outbox(digest: ["phone"])
            var commit = Commit()
            outbox.queue(summary, of: [], due: Self.day, Self.identity, at: now, into: &commit)
            return messages(commit)
        }
        let sent = digest(at: Self.day + .seconds(7))
        #expect(sent.map(\.queued.channel) == ["phone"])
        #expect(sent.map(\.queued.id) == digest(at: Self.day + .minutes(1)).map(\.queued.id))
        #expect(sent.first?.contents.note?.title == "24h: 1 up, 0 down, 0 flat, 1 unknown")
        #expect(sent.first?.contents.note?.lines == ["99.7 % of the time covered", "up most: solana +8.1 %"])
    }
}
