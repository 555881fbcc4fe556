import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct SourceTests {
    private let stocks = SourceID.own("stocks")

    private var board: MarketBoard {
        MarketBoard(
            watching: Watchlist(
                named: [
                    .init(market: market("bitcoin"), staleness: .init(after: .minutes(15))),
                    .init(market: market("AAPL"), staleness: .init(after: .hours(96)), source: stocks),
                ], top: 0, staleness: .init(after: .minutes(15)), currencies: .init(usd())))
    }

    @Test("an answer speaks only of the markets that it was asked for")
    func answersOfOthers() {
        var board = board
        #expect(board.apply(answer(quote("AAPL", "190", at: moment()), at: moment(1)), of: stocks).outcome == .ok)
        let update = board.apply(answer(quote("bitcoin", "100", at: moment(60)), at: moment(61)))
        #expect(update.outcome == .ok && update.usable == 1 && update.asked == 1 && update.unknown.isEmpty)
        #expect(board[market("AAPL")]?.state(at: moment(61)) == .fresh)
        #expect(board[market("AAPL")]?.missedAnswers == 0)
        #expect(board[market("AAPL")]?.shown?.fetchedAt == moment(1))
        // A price that nobody asked this feed for is not taken.
        let foreign = board.apply(
            answer(quote("bitcoin", "101", at: moment(120)), quote("AAPL", "1", at: moment(120)), at: moment(121)))
        #expect(foreign.samples.map(\.market.text) == ["bitcoin"])
        #expect(board[market("AAPL")]?.shown?.price == price("190"))
        #expect(board.apply(nothingNew(at: moment(181)), of: stocks).usable == 1)
        #expect(board[market("bitcoin")]?.shown?.fetchedAt == moment(121))
    }

    @Test("a price that its own feed bore out is handed out, also where the others' ranking changes in the same cycle")
    func borneOutBesideARanking() {
        let limit = percent(20)
        var board = MarketBoard(
            watching: Watchlist(
                named: [
                    .init(market: market("AAPL"), staleness: .init(after: .hours(96)), moveLimit: limit, source: stocks)
                ],
                top: 1,
                staleness: .init(after: .minutes(15)), currencies: .init(usd())))
        for (minute, text) in [(0.0, "190"), (15, "100"), (30, "101")] {
            let now = moment(minute * 60)
            _ = board.apply(answer(quote("AAPL", text, at: now), at: now), of: stocks, every: .minutes(15))
        }
        var coins = answer(quote("bitcoin", "60000", at: moment(1800)), at: moment(1801))
        coins.ranking = [market("bitcoin")]
        _ = board.apply(coins)
        var prices: [String] = []
        board.eachPrice(at: moment(1801).milliseconds, answered: [.shared, stocks]) { place, price, _, isFresh in
            guard let price else { return }
            prices.append("\(board.entries[place].market) \(price)\(isFresh ? "" : " not fresh")")
        }
        #expect(prices == ["AAPL 100 not fresh", "AAPL 101", "bitcoin 60000"])
    }

    private func update(_ outcome: PollOutcome, usable: Int, of asked: Int) -> BoardUpdate {
        var update = BoardUpdate()
        if outcome == .ok || outcome == .partial {
            update.samples = [
                Sample(market: market("bitcoin"), symbol: "btc", name: "Bitcoin", price: price("1"), quotedAt: moment())
            ]
        }
        update.usable = usable
        update.asked = asked
        #expect(update.outcome == outcome)
        return update
    }

    @Test("a cycle in which several feeds were asked is as good as they are together")
    func together() {
        let ok = update(.ok, usable: 2, of: 2)
        let unchanged = update(.unchanged, usable: 2, of: 2)
        let incomplete = update(.unchanged, usable: 1, of: 2)
        let partial = update(.partial, usable: 1, of: 2)
        let failed = update(.failed, usable: 0, of: 2)
        #expect([ok, ok].outcome == .ok)
        #expect([ok, unchanged].outcome == .ok)
        #expect([unchanged, unchanged].outcome == .unchanged)
        #expect([ok, incomplete].outcome == .partial)
        #expect([ok, partial].outcome == .partial)
        #expect([unchanged, failed].outcome == .partial)
        #expect([failed, failed].outcome == .failed)
        for one in [ok, unchanged, incomplete, partial, failed] { #expect([one].outcome == one.outcome) }
    }

    @Test("coverage counts each source by its own interval, as often as it has markets")
    func coverage() {
        var quick = Coverage(window: .hours(1), every: .minutes(1))
        var slow = Coverage(window: .hours(1), every: .minutes(15))
        for minute in 0...60 { quick.add(moment(Double(minute) * 60)) }
        for minute in [0, 15, 30, 45, 60] { slow.add(moment(Double(minute) * 60)) }
        #expect(Coverage.share(of: [(quick, 3), (slow, 1)], at: moment(3600)).hundredths == 10000)
        let never = Coverage(window: .hours(1), every: .minutes(15))
        #expect(Coverage.share(of: [(quick, 3), (never, 1)], at: moment(3600)).hundredths == 7500)
    }

    @Test("what is recalled of a market asked seldom is as well covered as what was lived through")
    func windows() {
        let source = SourceSettings(id: stocks, members: [], every: .minutes(15), limit: .seconds(48))
        let rules = [
            AlertRule(
                name: "drop", scope: .all, condition: .falls(Percent(hundredths: 500), within: .hours(1)))
        ]
        let identity = AlertBook.Identity(installation: "here", host: "box", currency: usd())
        func book() -> AlertBook {
            AlertBook(rules: rules, remembering: [:], identity: identity, own: (market("AAPL"), source))
        }
        var lived = book()
        var recalled = book()
        var board = board
        let watched = board.markets
        func cycle(_ minute: Int, coin: String, share: String?) -> AlertBook.Context {
            let now = moment(Double(minute) * 60)
            _ = board.apply(answer(quote("bitcoin", coin, at: now), at: now))
            if let share { _ = board.apply(answer(quote("AAPL", share, at: now), at: now), of: stocks) }
            return .init(
                now: now,
                sources: [
                    .shared: .init(interval: .minutes(1)),
                    stocks: .init(interval: .minutes(15), answered: share != nil),
                ])
        }
        for minute in 0..<75 {
            // Half an hour without bitcoin's feed is a gap of its own alone.
            guard !(20..<50).contains(minute) || minute % 15 == 0 else { continue }
            let share = minute % 15 == 0 ? "190" : nil
            let now = moment(Double(minute) * 60)
            #expect(lived.evaluate(board, at: cycle(minute, coin: "100", share: share)).events.isEmpty)
            recalled.recall(poll: now, samples: [(0, now, price("100"))], unknown: [], of: watched)
            guard share != nil else { continue }
            recalled.recall(poll: now, source: stocks, samples: [(1, now, price("190"))], unknown: [], of: watched)
        }
        let last = cycle(75, coin: "90", share: "170")
        #expect(lived.evaluate(board, at: last).events.map(\.market.text) == ["AAPL"])
        #expect(recalled.evaluate(board, at: last).events.map(\.market.text) == ["AAPL"])
    }
}
