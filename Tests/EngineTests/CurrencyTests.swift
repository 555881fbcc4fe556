import Foundation
import Markets
import Testing

@testable import Engine

/// What goes on, and what starts anew, when the currency of a market changes.
@Suite struct CurrencyTests {
    private let identity = AlertBook.Identity(installation: "here", host: "box", currency: usd())

    /// A share in this currency beside bitcoin in dollars.
    private func board(_ code: String, answered texts: [String: String] = [:], ranked: [String] = []) throws
        -> MarketBoard
    {
        var board = MarketBoard(
            watching: Watchlist(
                named: ["bitcoin", "share"].map { .init(market: market($0), staleness: .init(after: .minutes(15))) },
                top: ranked.count, staleness: .init(after: .minutes(15)), lastRanking: ranked.map(market),
                currencies: .init(usd(), others: [market("share"): try Currency(code)])))
        var said = Answer(fetchedAt: moment())
        said.quotes = texts.sorted { $0.key < $1.key }.map { quote($0.key, $0.value, at: moment()) }
        if !texts.isEmpty { _ = board.apply(said) }
        return board
    }

    private func shown(_ board: MarketBoard) -> [String] {
        board.entries.map { "\($0.market) \($0.shown?.price.description ?? "none") \($0.currency)" }
    }

    @Test("a market in another currency starts anew, and its old price is none of the new one")
    func reloaded() throws {
        let before = try board("eur", answered: ["bitcoin": "7", "share": "200"])
        var same = try board("eur")
        same.resume(before)
        #expect(shown(same) == ["bitcoin 7 usd", "share 200 eur"])
        var other = try board("gbp")
        other.resume(before)
        #expect(shown(other) == ["bitcoin 7 usd", "share none gbp"])
        // Also where it is not watched now, and comes back.
        var gone = MarketBoard(
            watching: Watchlist(
                named: [], top: 0, staleness: .init(after: .zero),
                currencies: .init(usd(), others: [market("share"): try Currency("gbp")])))
        gone.resume(before)
        #expect(gone.everythingKnown.keys.map(\.text) == ["bitcoin"])
    }

    @Test("a poll is recorded in the currency of its source, and the watchlist with those of its markets")
    func recorded() throws {
        var settings = Settings.test(["bitcoin"], own: [("stocks", ["share"])])
        let eur = try Currency("eur")
        settings.watchlist.currencies.others = [market("share"): eur]
        settings.sources[1].members[0].watch.currency = eur
        var scene = EngineScene(settings, feeds: ["a": [gives("7")], "stocks": [gives("200")]])
        scene.poll()
        let polls = scene.commits.flatMap(\.polls)
        #expect(polls.map { "\($0.feed) \($0.currency)" }.sorted() == ["a usd", "stocks eur"])
        #expect(polls.allSatisfy { $0.watched?.currencies == settings.watchlist.currencies })
        #expect(scene.status.markets.map { "\($0.market) \($0.currency)" } == ["bitcoin usd", "share eur"])
    }

    @Test("polls that could not be written keep their currency when it is edited")
    func unwritten() throws {
        var scene = EngineScene(.test(), feeds: ["a": [gives("7"), gives("8")]])
        scene.fault = "the disk is full"
        scene.poll()
        var settings = scene.settings
        settings.watchlist.currencies = .init(try Currency("eur"))
        settings.sources[0].members[0].watch.currency = try Currency("eur")
        scene.reload(settings)
        scene.fault = nil
        scene.poll()
        #expect(scene.commits.last?.polls.map(\.currency.code) == ["usd", "eur"])
    }

    @Test(
        "what fired in the old currency is resolved once, as by an edit; what is about the data goes on",
        arguments: [
            ("above 10", "gbp", ["edited share gbp"]), ("above 10", "eur", []), ("stale 1m", "gbp", []),
        ] as [(String, String, [String])])
    func alerts(condition: String, next: String, expected: [String]) throws {
        let condition = try #require(AlertRule.Condition(reading: condition))
        let rule = AlertRule(name: "r", scope: .markets([market("share")]), condition: condition)
        let before = try board("eur", answered: ["share": "200"])
        var book = AlertBook(rules: [rule], remembering: [:], identity: identity)
        let fired = book.evaluate(before, at: .init(now: moment(120), interval: .minutes(1)))
        #expect(fired.events.map { "\($0.reason.rawValue) \($0.currency)" } == ["first_firing eur"])
        // The new price meets no condition: the first evaluation is of an answer without it.
        book = AlertBook(rules: [rule], remembering: book.states, identity: identity)
        let after = try board(next)
        let events = book.evaluate(after, at: .init(now: moment(180), interval: .minutes(1))).events
        #expect(events.map { "\($0.reason.rawValue) \($0.market) \($0.currency)" } == expected)
        #expect(book.evaluate(after, at: .init(now: moment(240), interval: .minutes(1))).events.isEmpty)
    }

    @Test("an alert of a market that is no longer watched ends in the currency that it fired in")
    func unwatched() throws {
        let rule = AlertRule(name: "r", scope: .all, condition: "above 10")
        var book = AlertBook(rules: [rule], remembering: [:], identity: identity)
        _ = book.evaluate(
            try board("eur", answered: ["share": "200"]), at: .init(now: moment(), interval: .minutes(1)))
        book = AlertBook(rules: [rule], remembering: book.states, identity: identity)
        let ended = book.evaluate(EngineTests.board("bitcoin"), at: .init(now: moment(60), interval: .minutes(1)))
        #expect(ended.events.map { "\($0.reason.rawValue) \($0.currency)" } == ["unwatched eur"])
    }
}
