import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct LaneTests {
    private let stocks = Lane.own("stocks")

    private var board: MarketBoard {
        MarketBoard(
            watching: Watchlist(
                named: [
                    .init(market: market("bitcoin"), staleAfter: .minutes(15)),
                    .init(market: market("AAPL"), staleAfter: .hours(96), lane: stocks),
                ], top: 0, staleAfter: .minutes(15)))
    }

    @Test("an answer speaks only of the markets that it was asked for")
    func answersOfOthers() {
        var board = board
        var share = answer(quote("AAPL", "190", at: moment()), at: moment(1))
        share.lanes = [stocks]
        #expect(board.take(share).outcome == .ok)
        let digest = board.take(answer(quote("bitcoin", "100", at: moment(60)), at: moment(61)))
        #expect(digest.outcome == .ok && digest.usable == 1 && digest.asked == 1 && digest.unknown.isEmpty)
        #expect(board[market("AAPL")]?.state(at: moment(61)) == .fresh)
        #expect(board[market("AAPL")]?.missedAnswers == 0)
        #expect(board[market("AAPL")]?.shown?.fetchedAt == moment(1))
        // A price that nobody asked this feed for is not taken.
        let foreign = board.take(
            answer(quote("bitcoin", "101", at: moment(120)), quote("AAPL", "1", at: moment(120)), at: moment(121)))
        #expect(foreign.samples.map(\.market.text) == ["bitcoin"])
        #expect(board[market("AAPL")]?.shown?.price == price("190"))
        let nothing = Answer(quotes: [], notModified: true, feed: "test", lanes: [stocks], fetchedAt: moment(181))
        #expect(board.take(nothing).usable == 1)
        #expect(board[market("bitcoin")]?.shown?.fetchedAt == moment(121))
    }

    @Test("a price that its own feed bore out is handed out, also where the others' ranking changes in the same turn")
    func borneOutBesideARanking() {
        let limit = MoveLimit(percent: percent(20), memory: .minutes(45))
        var board = MarketBoard(
            watching: Watchlist(
                named: [.init(market: market("AAPL"), staleAfter: .hours(96), moveLimit: limit, lane: stocks)], top: 1,
                staleAfter: .minutes(15)))
        for (minute, text) in [(0.0, "190"), (15, "100"), (30, "101")] {
            var share = answer(quote("AAPL", text, at: moment(minute * 60)), at: moment(minute * 60))
            share.lanes = [stocks]
            _ = board.take(share)
        }
        var coins = answer(quote("bitcoin", "60000", at: moment(1800)), at: moment(1801))
        coins.ranking = [market("bitcoin")]
        _ = board.take(coins)
        var prices: [String] = []
        let everybody: (Lane) -> Bool = { _ in true }
        board.eachFreshPrice(at: moment(1801).milliseconds, answered: everybody) { place, price, _ in
            guard let price else { return }
            prices.append("\(board.entries[place].market) \(price)")
        }
        #expect(prices == ["AAPL 100", "AAPL 101", "bitcoin 60000"])
    }

    private func digest(_ outcome: PollOutcome, usable: Int, of asked: Int) -> Digest {
        var digest = Digest()
        digest.outcome = outcome
        digest.usable = usable
        digest.asked = asked
        return digest
    }

    @Test("a turn in which several feeds were asked is as good as they are together")
    func together() {
        let ok = digest(.ok, usable: 2, of: 2)
        let unchanged = digest(.unchanged, usable: 2, of: 2)
        let incomplete = digest(.unchanged, usable: 1, of: 2)
        let partial = digest(.partial, usable: 1, of: 2)
        let failed = digest(.failed, usable: 0, of: 2)
        #expect([ok, ok].outcome == .ok)
        #expect([ok, unchanged].outcome == .ok)
        #expect([unchanged, unchanged].outcome == .unchanged)
        #expect([ok, incomplete].outcome == .partial)
        #expect([ok, partial].outcome == .partial)
        #expect([unchanged, failed].outcome == .partial)
        #expect([failed, failed].outcome == .failed)
        for one in [ok, unchanged, incomplete, partial, failed] { #expect([one].outcome == one.outcome) }
    }

    @Test("coverage counts each lane by its own interval, as often as it has markets")
    func coverage() {
        var quick = Coverage(window: .hours(1), every: .minutes(1))
        var slow = Coverage(window: .hours(1), every: .minutes(15))
        for minute in 0...60 { quick.add(moment(Double(minute) * 60)) }
        for minute in [0, 15, 30, 45, 60] { slow.add(moment(Double(minute) * 60)) }
        #expect(Coverage.share(of: [(quick, 3), (slow, 1)], at: moment(3600)).tenths == 1000)
        let never = Coverage(window: .hours(1), every: .minutes(15))
        #expect(Coverage.share(of: [(quick, 3), (never, 1)], at: moment(3600)).tenths == 750)
    }

    @Test("what is recalled of a market asked seldom is as well covered as what was lived through")
    func windows() {
        let lanes = OwnLanes(lanes: [market("AAPL"): stocks], every: [stocks: .minutes(15)])
        let rules = [
            AlertRule(
                name: "drop", scope: .all, condition: .falls(Percent(hundredths: 500), within: .hours(1)))
        ]
        let identity = AlertBook.Identity(installation: "here", host: "box", currency: usd())
        func book() -> AlertBook {
            AlertBook(rules: rules, remembering: [:], identity: identity, every: .minutes(1), lanes: lanes)
        }
        var lived = book()
        var recalled = book()
        var board = board
        let watched = board.markets
        func turn(_ minute: Int, coin: String, share: String?) -> AlertBook.Moment {
            let now = moment(Double(minute) * 60)
            _ = board.take(answer(quote("bitcoin", coin, at: now), at: now))
            if let share {
                var answer = answer(quote("AAPL", share, at: now), at: now)
                answer.lanes = [stocks]
                _ = board.take(answer)
            }
            return .init(
                now: now,
                lanes: [
                    .shared: .init(interval: .minutes(1)),
                    stocks: .init(interval: .minutes(15), answered: share != nil),
                ])
        }
        for minute in 0..<75 {
            // Half an hour without bitcoin's feed is a gap of its own alone.
            guard !(20..<50).contains(minute) || minute % 15 == 0 else { continue }
            let share = minute % 15 == 0 ? "190" : nil
            let now = moment(Double(minute) * 60)
            #expect(lived.evaluate(board, at: turn(minute, coin: "100", share: share)).events.isEmpty)
            recalled.recall(poll: now, samples: [(0, now, price("100"))], unknown: [], of: watched)
            guard share != nil else { continue }
            recalled.recall(poll: now, lanes: [stocks], samples: [(1, now, price("190"))], unknown: [], of: watched)
        }
        let last = turn(75, coin: "90", share: "170")
        #expect(lived.evaluate(board, at: last).events.map(\.market.text) == ["AAPL"])
        #expect(recalled.evaluate(board, at: last).events.map(\.market.text) == ["AAPL"])
    }
}
