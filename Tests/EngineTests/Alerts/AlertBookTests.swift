import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct AlertBookTests {
    private let identity = AlertBook.Identity(installation: "here", host: "box", currency: usd())

    /// Plays prices (nil: not answered) a minute apart and names what is announced at each.
    private func play(_ rule: AlertRule, _ prices: [String?], restartAt: Int? = nil) -> [String] {
        var board = board("bitcoin")
        var book = AlertBook(rules: [rule], remembering: [:], identity: identity)
        return prices.enumerated().map { index, text in
            if index == restartAt { book = AlertBook(rules: [rule], remembering: book.states, identity: identity) }
            let now = moment(Double(index) * 60)
            _ = board.apply(
                text.map { answer(quote("bitcoin", $0, at: now), at: now) }
                    ?? answer(unusable: ["bitcoin": .nullPrice], at: now))
            let changes = book.evaluate(board, at: .init(now: now, interval: .minutes(1)))
            return changes.events.map(\.kind.rawValue).joined(separator: "+")
        }
    }

    private func rule(_ condition: AlertRule.Condition, holdFor: Duration = .zero, clear: Price? = nil) -> AlertRule {
        AlertRule(
            name: "r", scope: .markets([market("bitcoin")]), condition: condition, holdFor: holdFor, clear: clear)
    }

    @Test("a condition is strict: equal to the threshold is not beyond it")
    func strict() {
        #expect(
            play(rule(.below(price("0.1"))), ["0.1", "0.099999999999999999", "0.1"]) == ["", "firing", "resolved"])
        #expect(
            play(rule(.above(price("0.1"))), ["0.1", "0.100000000000000001", "0.1"]) == ["", "firing", "resolved"])
    }

    @Test("a condition that is true at first fires at once")
    func firesAtFirst() { #expect(play(rule(.above(price("1"))), ["2", "3"]) == ["firing", ""]) }

    @Test("for waits, and begins anew when the condition ends meanwhile")
    func holds() {
        let rule = rule(.above(price("10")), holdFor: .minutes(2))
        #expect(play(rule, ["11", "12", "13", "14"]) == ["pending", "", "firing", ""])
        #expect(play(rule, ["11", "9", "11", "12", "13"]) == ["pending", "", "pending", "", "firing"])
    }

    @Test("a gap adds nothing to the time that for counts")
    func gapsAddNothing() {
        let rule = rule(.above(price("10")), holdFor: .minutes(3))
        #expect(
            play(rule, ["11", nil, nil, nil, nil, "11", "11", "11", "11"])
                == ["pending", "", "", "", "", "", "", "", "firing"])
    }

    @Test("unknown data neither fires nor resolves")
    func heldUnknown() {
        #expect(play(rule(.below(price("10"))), ["9", nil, nil, "9", "11"]) == ["firing", "", "", "", "resolved"])
        #expect(play(rule(.below(price("10"))), [nil, nil]) == ["", ""])
    }

    @Test("clear keeps an alert from flapping")
    func clears() {
        let rule = rule(.below(price("60")), clear: price("61"))
        #expect(play(rule, ["59", "60.5", "59", "61", "60.5"]) == ["firing", "", "", "resolved", ""])
    }

    @Test("a restart announces nothing again", arguments: 0...5)
    func restarts(at place: Int) {
        let rule = rule(.above(price("10")), holdFor: .minutes(1))
        #expect(
            play(rule, ["11", "12", "13", "9", "11", "12"], restartAt: place)
                == ["pending", "firing", "", "resolved", "pending", "firing"])
    }

    private func observe(_ book: inout AlertBook, _ board: MarketBoard, at second: Double) -> [AlertEvent] {
        book.evaluate(board, at: .init(now: moment(second), interval: .minutes(1))).events
    }

    @Test("an edited condition ends what fired and starts anew; any other edit does not")
    func edits() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "11", at: moment()), at: moment()))
        var book = AlertBook(rules: [rule(.above(price("10")))], remembering: [:], identity: identity)
        #expect(observe(&book, board, at: 0).map(\.kind) == [.firing])

        var noted = rule(.above(price("10")))
        noted.note = "sell"
        book = AlertBook(rules: [noted], remembering: book.states, identity: identity)
        #expect(observe(&book, board, at: 60).isEmpty)

        book = AlertBook(rules: [rule(.above(price("10.5")))], remembering: book.states, identity: identity)
        let events = observe(&book, board, at: 120)
        #expect(events.map(\.kind) == [.resolved, .firing])
        #expect(events.map(\.reason) == [.edited, .firstFiring])
        #expect(events[0].threshold == nil, "the new one is not that of the condition which has ended")
    }

    @Test("a firing alert whose rule or market is gone is resolved once, with the reason")
    func retires() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "11", at: moment()), at: moment()))
        var fired = AlertBook(rules: [rule(.above(price("10")))], remembering: [:], identity: identity)
        _ = observe(&fired, board, at: 0)

        var removed = AlertBook(rules: [], remembering: fired.states, identity: identity)
        #expect(observe(&removed, board, at: 60).map(\.reason) == [.removed])
        #expect(observe(&removed, board, at: 120).isEmpty)

        var off = rule(.above(price("10")))
        off.enabled = false
        var disabled = AlertBook(rules: [off], remembering: fired.states, identity: identity)
        #expect(observe(&disabled, board, at: 60).map(\.reason) == [.disabled])

        let other = MarketBoard(
            watching: Watchlist(named: [], top: 0, staleness: .init(after: .minutes(15)), currencies: .init(usd())))
        var unwatched = AlertBook(rules: [rule(.above(price("10")))], remembering: fired.states, identity: identity)
        #expect(observe(&unwatched, other, at: 60).map(\.reason) == [.unwatched])
    }

    @Test("each announcement has its own id, and the same announcement always the same")
    func identifies() {
        var first = AlertBook(rules: [rule(.above(price("10")))], remembering: [:], identity: identity)
        var again = first
        var board = board("bitcoin")
        var ids: [[String]] = [[], []]
        for (second, text) in ["11", "9", "11", "9"].enumerated() {
            let now = moment(Double(second) * 60)
            _ = board.apply(answer(quote("bitcoin", text, at: now), at: now))
            ids[0] += observe(&first, board, at: Double(second) * 60).map(\.id)
            ids[1] += observe(&again, board, at: Double(second) * 60 + 5).map(\.id)
        }
        #expect(Set(ids[0]).count == 4)
        #expect(ids[0] == ids[1])
    }

    @Test("a rule, or a market of it, that is taken out and put back counts on", arguments: [true, false])
    func returns(market isKept: Bool) {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "11", at: moment()), at: moment()))
        let whole = rule(.above(price("10")))
        var elsewhere = whole
        elsewhere.scope = .markets([market("ethereum")])
        let without = isKept ? [elsewhere] : []
        var book = AlertBook(rules: [whole], remembering: [:], identity: identity)
        var events = observe(&book, board, at: 0)
        for (minute, rules) in [without, without, [whole], without, [whole]].enumerated() {
            book = AlertBook(rules: rules, remembering: book.states, identity: identity)
            events += observe(&book, board, at: Double(minute + 1) * 60)
        }
        #expect(events.map(\.kind) == [.firing, .resolved, .firing, .resolved, .firing])
        #expect(Set(events.map(\.id)).count == events.count)
    }

    @Test("what the history knows of alerts counts on when it can be read at last")
    func meets() {
        var board = board("bitcoin", "ethereum")
        _ = board.apply(answer(quote("bitcoin", "11", at: moment()), at: moment()))
        var all = rule(.above(price("10")))
        all.scope = .all
        var earlier = AlertBook(rules: [all], remembering: [:], identity: identity)
        _ = observe(&earlier, board, at: 0)
        _ = board.apply(
            answer(quote("bitcoin", "9", at: moment(1)), quote("ethereum", "11", at: moment(1)), at: moment(1)))
        _ = observe(&earlier, board, at: 1)
        // Bitcoin has been announced twice, ethereum fires. One that knows of neither hears of bitcoin first.
        var book = AlertBook(
            rules: [all], remembering: [:],
            identity: .init(installation: "not yet known", host: "box", currency: usd()))
        _ = board.apply(
            answer(quote("bitcoin", "12", at: moment(60)), unusable: ["ethereum": .nullPrice], at: moment(60)))
        #expect(observe(&book, board, at: 60).map(\.kind) == [.firing])
        book.join(earlier.states, of: "here")
        _ = board.apply(
            answer(quote("bitcoin", "9", at: moment(120)), quote("ethereum", "12", at: moment(120)), at: moment(120)))
        let events = observe(&book, board, at: 120)
        #expect(events.map(\.kind) == [.resolved])
        #expect(
            events.map(\.id) == [
                AlertEvent.id(
                    installation: "here", key: AlertKey(rule: "r", market: market("bitcoin")), condition: "above 10",
                    announcement: 3)
            ])
    }

    @Test(
        "what changed while nobody watched says how late it is; a market that is new is not late",
        arguments: [false, true])
    func late(isNew: Bool) {
        var board = board("bitcoin")
        if !isNew { _ = board.apply(answer(quote("bitcoin", "9", at: moment(0)), at: moment(0))) }
        _ = board.apply(answer(quote("bitcoin", "11", at: moment(7200)), at: moment(7200)))
        var book = AlertBook(rules: [rule(.above(price("10")))], remembering: [:], identity: identity)
        let changes = book.evaluate(
            board, at: .init(now: moment(7200), interval: .minutes(1), watchedUntil: moment(0)))
        #expect(changes.events.map(\.lateSeconds) == [isNew ? nil : 7200])
    }

    @Test("a market whose only price was recorded before the gap is late, also if its answer after it has no newer one")
    func lateWithoutNewPrice() throws {
        let known = MarketBoard.PriceSample(
            price: price("9"), quotedAt: moment(0), fetchedAt: moment(1), feed: "coingecko", reportedChange: nil)
        var board = board(
            "bitcoin", remembering: [market("bitcoin"): .init(symbol: "btc", name: "Bitcoin", newest: known)])
        _ = board.apply(answer(quote("bitcoin", "8", at: moment(-60)), at: moment(7200)))
        var book = AlertBook(rules: [rule(.stale(.hours(1)))], remembering: [:], identity: identity)
        let changes = book.evaluate(
            board, at: .init(now: moment(7200), interval: .minutes(1), watchedUntil: moment(0)))
        #expect(changes.events.map(\.lateSeconds) == [7200])
    }
}
