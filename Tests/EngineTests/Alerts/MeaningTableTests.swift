import Foundation
import Markets
import Testing

@testable import Engine

/// The tables of docs/alerts.md, a row a case: the polls, a minute apart, and what each announces.
@Suite struct MeaningTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let rule: AlertRule
        let polls: [AlertStage.Poll]
        let events: [String]

        init(_ name: String, _ rule: AlertRule, _ polls: [AlertStage.Poll], _ events: [String]) {
            self.name = name
            self.rule = rule
            self.polls = polls
            self.events = events
        }

        var testDescription: String { name }
    }

    private static let pending = "pending:first_met"
    private static let firing = "firing:first_firing"
    private static let resolved = "resolved:condition_ended"
    private static let reminded = "reminder:repeat_interval"
    private static let moved = "reminder:moved_further"

    static let levels = [
        Row(
            "above is strict", bitcoinRule(.above(price("10"))), ["10", "10.000000000000001", "10"],
            ["", firing, resolved]),
        Row(
            "below is strict", bitcoinRule(.below(price("0.1"))), ["0.1", "0.0999999999", "0.1"],
            ["", firing, resolved]),
        Row(
            "outside is strict at both bounds", bitcoinRule(.outside(low: price("0.99"), high: price("1.01"))),
            ["0.99", "1.01", "1.0101", "1", "0.9899", "0.99"], ["", "", firing, resolved, firing, resolved]),
        Row("true at the first evaluation fires", bitcoinRule(.above(price("10"))), ["11", "12"], [firing, ""]),
        Row(
            "a level fires once while it lasts", bitcoinRule(.above(price("10"))), ["11", "12", "11"], [firing, "", ""]),
        Row(
            "clear: between threshold and clear it fires on", bitcoinRule(.below(price("60")), clear: "61"),
            ["59", "60", "60.9", "61", "60.5"], [firing, "", "", resolved, ""]),
        Row(
            "clear inside a corridor, from above and from below",
            bitcoinRule(.outside(low: price("90"), high: price("110")), clear: "100"),
            ["111", "105", "100", "89", "95", "100"], [firing, "", resolved, firing, "", resolved]),
        Row(
            "clear inside a corridor, from the side on which it was left last",
            bitcoinRule(.outside(low: price("90"), high: price("110")), clear: "105"),
            ["111", "89", "100", "105", "111", "106", "105"], [firing, "", "", resolved, firing, "", resolved]),
        Row(
            "clear inside a corridor, after a reminder from within",
            bitcoinRule(
                .outside(low: price("90"), high: price("110")), clear: "105", repeatEvery: .minutes(2)),
            ["111", "112", "108", "108", "105"], [firing, "", reminded, "", resolved]),
    ]

    static let windows = [
        Row(
            "rises: P or more above the lowest of the window", bitcoinRule(.rises(percent(5), within: .minutes(5))),
            ["100", "100", "100", "100", "100", "104.99", "105", "104"], ["", "", "", "", "", "", firing, resolved]),
        Row(
            "falls: a spike counts before the window ends", bitcoinRule(.falls(percent(5), within: .minutes(5))),
            ["100", "100", "100", "100", "120", "114", "115"], ["", "", "", "", "", firing, resolved]),
        Row(
            "moves: either way", bitcoinRule(.moves(percent(10), within: .minutes(5))),
            ["100", "100", "100", "100", "100", "110", "100", "100", "100", "100", "100", "100", "90"],
            ["", "", "", "", "", firing, resolved, "", "", "", "", "", firing]),
        Row(
            "what left the window no longer counts", bitcoinRule(.rises(percent(5), within: .minutes(5))),
            ["100", "101", "102", "103", "104", "104.5", "105", "106"], ["", "", "", "", "", "", "", ""]),
        Row(
            "new_high: above every other price of the window, and over with the next that is not",
            bitcoinRule(.newHigh(.minutes(5))),
            ["10", "10", "10", "10", "10", "10", "11", "11", "11.5", "12", "9"],
            ["", "", "", "", "", "", firing, resolved, firing, "", resolved]),
        Row(
            "new_low: below every other price", bitcoinRule(.newLow(.minutes(5))),
            ["10", "10", "10", "10", "10", "9", "9"], ["", "", "", "", "", firing, resolved]),
        Row(
            "covered to less than 80 % is unknown", bitcoinRule(.rises(percent(5), within: .minutes(10))),
            ["100", "100", "100", "100", "100", "100", "100", "200", "200", "200"],
            ["", "", "", "", "", "", "", "", firing, ""]),
        Row(
            "an uncovered window holds what fires", bitcoinRule(.rises(percent(5), within: .minutes(5))),
            ["100", "100", "100", "100", "100", "110", "?", "?", "?", "100", "100", "100", "100", "100", "100"],
            ["", "", "", "", "", firing, "", "", "", "", "", "", "", resolved, ""]),
        Row(
            "exact at the threshold", bitcoinRule(.rises(percent(10), within: .minutes(5))),
            ["0.3", "0.3", "0.3", "0.3", "0.3", "0.329999999999999999", "0.33"], ["", "", "", "", "", "", firing]),
    ]

    static let unknown = [
        Row("unknown never fires", bitcoinRule(.below(price("10"))), ["?", "x", "?"], ["", "", ""]),
        Row(
            "unknown never resolves", bitcoinRule(.below(price("10"))), ["9", "?", "x", "9", "11"],
            [firing, "", "", "", resolved]),
        Row(
            "stale holds, too", bitcoinRule(.below(price("10"))),
            ["9"] + Array(repeating: "=", count: 20) + ["11"], [firing] + Array(repeating: "", count: 20) + [resolved]),
        Row(
            "unknown keeps a pending alert waiting", bitcoinRule(.above(price("10")), holdFor: .minutes(2)),
            ["11", "?", "11", "11"], [pending, "", firing, ""]),
    ]

    static let modifiers = [
        Row(
            "for waits so long", bitcoinRule(.above(price("10")), holdFor: .minutes(2)), ["11", "12", "13", "14"],
            [pending, "", firing, ""]),
        Row(
            "for begins anew when the condition ends", bitcoinRule(.above(price("10")), holdFor: .minutes(2)),
            ["11", "12", "9", "11", "12", "13"], [pending, "", "", pending, "", firing]),
        Row(
            "for: a gap over three intervals adds nothing", bitcoinRule(.above(price("10")), holdFor: .minutes(3)),
            ["11", "x", "x", "x", "11", "12", "13", "14"], [pending, "", "", "", "", "", "", firing]),
        Row(
            "keep_firing_for fires on after the end",
            bitcoinRule(.above(price("10")), keepFiringFor: .minutes(2)), ["11", "9", "9", "9", "9"],
            [firing, "", "", resolved, ""]),
        Row(
            "keep_firing_for begins anew when the condition returns",
            bitcoinRule(.above(price("10")), keepFiringFor: .minutes(2)), ["11", "9", "11", "9", "9", "9"],
            [firing, "", "", "", "", resolved]),
        Row(
            "repeat reminds while it fires", bitcoinRule(.above(price("10")), repeatEvery: .minutes(2)),
            ["11", "12", "13", "14", "15", "9", "9"], [firing, "", reminded, "", reminded, resolved, ""]),
        Row(
            "repeat waits while the price is unknown", bitcoinRule(.above(price("10")), repeatEvery: .minutes(2)),
            ["11", "?", "?", "?", "12"], [firing, "", "", "", reminded]),
        Row(
            "repeat_on_move: so much further since the last message",
            bitcoinRule(.above(price("100")), repeatOnMove: 2),
            ["101", "103", "103.02", "104", "105.1", "102", "107.3"], [firing, "", moved, "", moved, "", moved]),
        Row(
            "repeat_on_move of a falling price", bitcoinRule(.below(price("100")), repeatOnMove: 10),
            ["90", "82", "81", "95", "73"], [firing, "", moved, "", ""]),
        Row(
            "once rests after its first resolve", bitcoinRule(.above(price("10")), once: true),
            ["11", "9", "11", "9"], [firing, resolved, "", ""]),
        Row(
            "expires ends it", bitcoinRule(.above(price("10")), expires: moment(120)), ["11", "12", "13", "14"],
            [firing, "", "resolved:expired", ""]),
        Row("disabled says nothing", bitcoinRule(.above(price("10")), enabled: false), ["11"], [""]),
    ]

    static let data = [
        Row(
            "stale: no price quoted for so long, judged while polls fail", bitcoinRule(.stale(.minutes(3))),
            ["10", "x", "x", "x", "x", "10"], ["", "", "", firing, "", resolved]),
        Row(
            "stale counts missing prices, too", bitcoinRule(.stale(.minutes(2))), ["?", "?", "?", "10"],
            ["", "", firing, resolved]),
        Row(
            "market-stale: the state stale for so long", bitcoinRule(.marketStale(.minutes(1))),
            ["10"] + Array(repeating: "=", count: 17) + ["10"],
            Array(repeating: "", count: 16) + [firing, "", resolved]),
        Row(
            "market-missing: so many answers in a row without a price", bitcoinRule(.marketMissing(answers: 3)),
            ["10", "?", "?", "x", "?", "?", "10"], ["", "", "", "", firing, "", resolved]),
    ]

    @Test(arguments: levels + windows + unknown + modifiers + data)
    func meaning(of row: Row) {
        var stage = AlertStage(row.rule)
        #expect(stage.play(row.polls) == row.events)
    }

    @Test("a restart at any poll changes nothing", arguments: levels + windows + unknown + modifiers + data)
    func restarts(of row: Row) {
        for place in row.polls.indices {
            var stage = AlertStage(row.rule)
            let times = row.polls.indices.map { moment(Double($0) * 60) }
            var events = stage.play(Array(row.polls[..<place]))
            stage.restart(recalling: Array(zip(times, row.polls).prefix(place)))
            events += stage.play(Array(row.polls[place...]))
            #expect(events == row.events, "restarted before poll \(place)")
        }
    }

    @Test("feed-stale is about the provider as a whole, and bears the feed's name")
    func feedStale() {
        let rule = AlertRule(
            name: "feed-stale", scope: .feed(market("coingecko")), condition: .feedStale(.minutes(10)),
            severity: .critical)
        var book = AlertBook(
            rules: [rule], remembering: [:], identity: .init(installation: "here", host: "box", currency: usd()))
        let board = board("bitcoin")
        func judge(_ minute: Double, usable: Double) -> [AlertEvent] {
            book.evaluate(
                board,
                at: .init(
                    now: moment(minute * 60), interval: .minutes(1), answered: minute == usable,
                    lastUsableAnswer: moment(usable * 60))
            ).events
        }
        #expect(judge(9, usable: 0).isEmpty)
        let fired = judge(10, usable: 0)
        #expect(fired.map(\.kind) == [.firing])
        #expect(fired.map(\.market.text) == ["coingecko"])
        #expect(fired.map(\.price) == [nil])
        #expect(judge(11, usable: 0).isEmpty)
        #expect(judge(12, usable: 12).map(\.kind) == [.resolved])
    }

    @Test("a quote that was stale when it was answered counts in the window once there is a fresh one")
    func staleQuoteInWindow() {
        var stage = AlertStage(bitcoinRule(.falls(percent(5), within: .hours(2))))
        let polls = Array(repeating: AlertStage.Poll.price("100"), count: 100) + Array(repeating: .null, count: 18)
        #expect(stage.play(polls) == Array(repeating: "", count: polls.count))
        _ = stage.board.apply(answer(quote("bitcoin", "110", at: stage.now - .minutes(16)), at: stage.now))
        #expect(stage.board[market("bitcoin")]?.state(at: stage.now) == .stale)
        let events = stage.play(["=", "104"])
        #expect(events == ["", Self.firing])
    }

    @Test("a start resolves no alert of a market without any price")
    func staleWithoutPrice() {
        var stage = AlertStage(bitcoinRule(.stale(.minutes(2))))
        #expect(stage.play(["?", "?", "?"]) == ["", "", Self.firing])
        stage.restart()
        stage.board = MarketBoard(watching: stage.watchlist)
        #expect(stage.play(["?", "?", "?", "?", "10"]) == ["", "", "", "", Self.resolved])
    }

    @Test("time in which nobody asked makes nothing stale")
    func downtime() {
        let asked = AlertBook.Context(
            now: moment(10_000), interval: .minutes(1), downtime: moment(1000)..<moment(9000))
        #expect(asked.age(of: moment(900)) == .seconds(1100))
        #expect(asked.age(of: moment(5000)) == .seconds(1000))
        #expect(asked.age(of: moment(9500)) == .seconds(500))
    }
}
