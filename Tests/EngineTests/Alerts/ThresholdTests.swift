import Foundation
import Markets
import Testing

@testable import Engine

/// What an event says of a condition with two sides: `threshold` is the bound on the side on which the condition holds,
/// or held last, and `change_percent` is measured from the same side.
@Suite struct ThresholdTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rule: AlertRule
        var polls: [AlertStage.Poll]
        /// `kind threshold change` of each event.
        var events: [String]

        init(_ name: String, _ rule: AlertRule, _ polls: [AlertStage.Poll], _ events: [String]) {
            (testDescription, self.rule, self.polls, self.events) = (name, rule, polls, events)
        }
    }

    private static let quiet: [AlertStage.Poll] = ["100", "100", "100", "100", "100"]
    private static let moves = AlertRule.Condition.moves(percent(10), within: .minutes(5))
    private static let outside = AlertRule.Condition.outside(low: price("90"), high: price("110"))

    static let rows = [
        Row(
            "moves: up, and over", bitcoinRule(moves), quiet + ["112", "105"], ["firing 110 12", "resolved 110 5"]),
        Row(
            "moves: down, and over", bitcoinRule(moves), quiet + ["88", "95"], ["firing 90 -12", "resolved 90 -5"]),
        Row(
            "moves: down, and over when the high has left the window", bitcoinRule(moves),
            quiet + ["88", "89", "89", "89", "89", "89"], ["firing 90 -12", "resolved 80.1 0"]),
        Row(
            "moves: both bounds are crossed, by more upwards", bitcoinRule(moves, repeatEvery: .minutes(1)),
            quiet + ["80", "89"], ["firing 90 -20", "reminder 88 11.25"]),
        Row(
            "moves: both bounds are crossed, by more downwards", bitcoinRule(moves, repeatEvery: .minutes(1)),
            quiet + ["80", "88"], ["firing 90 -20", "reminder 90 -12"]),
        Row(
            "moves: turns while it fires, and is over on the other side", bitcoinRule(moves),
            quiet + ["88", "98", "97", "96"], ["firing 90 -12", "resolved 96.8 9.09"]),
        Row(
            "moves: pending, then firing, on the side of the moment", bitcoinRule(moves, holdFor: .minutes(2)),
            quiet + ["88", "89", "100", "100"], ["pending 90 -12", "firing 96.8 13.64"]),
        Row(
            "moves: kept firing after the end, on the side on which it held",
            bitcoinRule(moves, keepFiringFor: .minutes(1)), quiet + ["88", "95", "95"],
            ["firing 90 -12", "resolved 90 -5"]),
        Row(
            "outside: below, and back inside", bitcoinRule(outside), ["89", "100"],
            ["firing 90 nil", "resolved 90 nil"]),
        Row(
            "outside: above, and back inside", bitcoinRule(outside), ["111", "100"],
            ["firing 110 nil", "resolved 110 nil"]),
        Row(
            "outside: from above to below while it fires", bitcoinRule(outside), ["111", "89", "88", "100"],
            ["firing 110 nil", "resolved 90 nil"]),
        Row(
            "outside: reminded between bound and clear", bitcoinRule(outside, clear: "100", repeatEvery: .minutes(1)),
            ["89", "95", "100"], ["firing 90 nil", "reminder 90 nil", "resolved 90 nil"]),
    ]

    private func play(_ row: Row, restartBefore place: Int? = nil) -> [String] {
        var stage = AlertStage(row.rule)
        var past: [(Date, AlertStage.Poll)] = []
        var events: [String] = []
        for (index, poll) in row.polls.enumerated() {
            if index == place { stage.restart(recalling: past) }
            past.append((stage.now, poll))
            events += stage.cycle(poll).map { event in
                let threshold = event.threshold.map { "\($0)" } ?? "nil"
                return "\(event.kind.rawValue) \(threshold) \(event.changePercent.map { "\($0)" } ?? "nil")"
            }
            stage.now = stage.now + AlertStage.every
        }
        return events
    }

    @Test(arguments: rows)
    func namesTheSide(_ row: Row) { #expect(play(row) == row.events) }

    @Test("a restart at any poll changes nothing", arguments: rows)
    func restarts(_ row: Row) {
        for place in row.polls.indices { #expect(play(row, restartBefore: place) == row.events, "before \(place)") }
    }

    @Test("a reminder at the end of a silence names the side on which it holds, or held last")
    func silenceEnds() {
        var stage = AlertStage(bitcoinRule(Self.moves, keepFiringFor: .minutes(5)))
        for poll in Self.quiet + ["88"] {
            _ = stage.cycle(poll)
            stage.now = stage.now + AlertStage.every
        }
        stage.book.silences = [
            Silence(id: 1, rule: nil, market: nil, since: stage.now, until: stage.now + .seconds(30))
        ]
        stage.now = stage.now + AlertStage.every
        let events = stage.cycle("95")
        #expect(events.map(\.reason) == [.silenceEnded])
        #expect(events.map(\.threshold) == [price("90")])
        #expect(events.map(\.changePercent) == [percent(-5)])
    }
}
