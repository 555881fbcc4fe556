import Foundation
import Markets
import Testing

@testable import Engine

@Suite struct MarketBoardTests {
    @Test("every watched market answered: ok, and all is recorded")
    func allAnswered() {
        var board = board("bitcoin", "ethereum")
        let update = board.apply(
            answer(quote("bitcoin", "100", at: moment()), quote("ethereum", "10", at: moment()), at: moment(1)))
        #expect(update.outcome == .ok)
        #expect(update.samples.map(\.market.text) == ["bitcoin", "ethereum"])
        #expect(update.unknown.isEmpty)
        #expect(board[market("bitcoin")]?.state(at: moment(2)) == .fresh)
    }

    @Test("one missing and one null: partial, each with its reason, neither with a price")
    func someAnswered() {
        var board = board("bitcoin", "ethereum", "tether")
        _ = board.apply(
            answer(
                quote("bitcoin", "100", at: moment()), quote("ethereum", "10", at: moment()),
                quote("tether", "1", at: moment()), at: moment(1)))
        let update = board.apply(
            answer(quote("bitcoin", "101", at: moment(60)), unusable: ["tether": .nullPrice], at: moment(61)))
        #expect(update.outcome == .partial)
        #expect(update.usable == 1)
        #expect(update.unknown.map(\.reason) == [.notAnswered, .nullPrice])
        #expect(board[market("ethereum")]?.state(at: moment(62)) == .missing)
        #expect(board[market("tether")]?.state(at: moment(62)) == .unknown)
        #expect(board[market("tether")]?.shown == nil)
    }

    @Test("an empty answer is a failed poll")
    func nothingAnswered() {
        var board = board("bitcoin")
        #expect(board.apply(answer(at: moment())).outcome == .failed)
    }

    @Test("the same quote again is unchanged, and renews when it was fetched")
    func unchanged() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment()), at: moment(1)))
        let update = board.apply(answer(quote("bitcoin", "100.0", at: moment()), at: moment(61)))
        #expect(update.outcome == .unchanged)
        #expect(update.samples.isEmpty)
        #expect(board[market("bitcoin")]?.shown?.fetchedAt == moment(61))
        #expect(board[market("bitcoin")]?.shown?.quotedAt == moment())
    }

    @Test("the same provider time with another price is recorded")
    func correctedPrice() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment()), at: moment(1)))
        #expect(board.apply(answer(quote("bitcoin", "101", at: moment()), at: moment(61))).samples.count == 1)
    }

    @Test("an older quote is not recorded, and says so")
    func olderQuote() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment(60)), at: moment(61)))
        let update = board.apply(answer(quote("bitcoin", "90", at: moment()), at: moment(121)))
        #expect(update.samples.isEmpty)
        #expect(board[market("bitcoin")]?.reason == .oldQuote)
        #expect(board[market("bitcoin")]?.shown?.price == price("100"))
        #expect(board[market("bitcoin")]?.state(at: moment(122)) == .fresh)
    }

    @Test("a provider time in the future does not make every later quote look old")
    func futureQuote() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment(86_400 * 365)), at: moment(1)))
        #expect(board[market("bitcoin")]?.shown?.quotedAt == moment(1))
        #expect(board.apply(answer(quote("bitcoin", "101", at: moment(60)), at: moment(61))).samples.count == 1)
    }

    @Test("without a provider time the quote is as old as the answer")
    func untimedQuote() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: nil), at: moment(1)))
        #expect(board[market("bitcoin")]?.shown?.quotedAt == moment(1))
    }

    @Test("age alone makes stale")
    func stale() {
        var board = board("bitcoin")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment()), at: moment(1)))
        #expect(board[market("bitcoin")]?.state(at: moment(900)) == .fresh)
        #expect(board[market("bitcoin")]?.state(at: moment(901)) == .stale)
    }

    @Test("not modified renews what was known and brings nothing")
    func notModified() {
        var board = board("bitcoin", "ethereum")
        _ = board.apply(answer(quote("bitcoin", "100", at: moment()), at: moment(1)))
        let update = board.apply(nothingNew(at: moment(61)))
        #expect(update.outcome == .unchanged)
        #expect(board[market("bitcoin")]?.shown?.fetchedAt == moment(61))
        #expect(board[market("ethereum")]?.state(at: moment(61)) == .missing)
    }

    @Test("what a feed calls unchanged is taken in where its last answer was not: another feed's was, or none")
    func unchangedOfAnother() {
        var board = board("bitcoin", top: 1)
        var first = answer(quote("bitcoin", "100", at: moment()), quote("a", "1", at: moment()), at: moment(1))
        first.notModified = true
        first.ranking = [market("a")]
        let update = board.apply(first)
        #expect(update.outcome == .ok)
        #expect(update.samples.map(\.market.text) == ["bitcoin", "a"])
        _ = board.apply(answer(quote("bitcoin", "200", at: moment(60)), at: moment(61)), from: "other")
        var back = answer(quote("bitcoin", "101", at: moment(90)), at: moment(121))
        back.notModified = true
        #expect(board.apply(back).samples.map(\.price) == [price("101")])
        back.fetchedAt = moment(181)
        #expect(board.apply(back).outcome == .unchanged)
    }

    @Test("a request that failed says nothing of its markets: their state stays, nothing is missed, rules get no price")
    func unreached() {
        var board = board("bitcoin", "ethereum", top: 1)
        var first = answer(
            quote("bitcoin", "100", at: moment()), quote("ethereum", "10", at: moment()), quote("a", "1", at: moment()),
            at: moment(1))
        first.ranking = [market("a")]
        _ = board.apply(first)
        for step in 1...3 {
            let time = Double(step * 60)
            var next = answer(quote("bitcoin", "101", at: moment(time)), at: moment(time + 1))
            next.unreached = [market("ethereum")]
            next.rankingIsIncomplete = true
            let update = board.apply(next)
            #expect(update.outcome == .partial && update.usable == 1 && update.asked == 3)
            #expect(update.unknown.map(\.market.text) == ["ethereum", "a"])
            #expect(update.unknown.allSatisfy { $0.reason == .notAsked })
        }
        for id in ["ethereum", "a"] {
            #expect(board[market(id)]?.state(at: moment(182)) == .fresh)
            #expect(board[market(id)]?.missedAnswers == 0)
        }
        var priced: [String] = []
        func note(_ place: Int, _ price: Price?, _: Int64, _: Bool) {
            if price != nil { priced.append(board.entries[place].market.text) }
        }
        board.eachPrice(at: moment(182).milliseconds, answered: [.shared], note)
        #expect(priced == ["bitcoin"])
        #expect(board[market("ethereum")]?.state(at: moment(901)) == .stale, "age goes on")
        _ = board.apply(answer(quote("bitcoin", "101", at: moment(240)), at: moment(241)))
        #expect(board[market("ethereum")]?.state(at: moment(242)) == .missing)
    }

    @Test("the largest markets come and go, the named ones stay first")
    func ranking() {
        var board = board("tether", top: 2)
        var first = answer(quote("a", "1", at: moment()), quote("b", "2", at: moment()), at: moment(1))
        first.ranking = [market("a"), market("b"), market("c")]
        _ = board.apply(first)
        #expect(board.entries.map(\.market.text) == ["tether", "a", "b"])
        var second = answer(quote("b", "2", at: moment()), quote("c", "3", at: moment()), at: moment(61))
        second.ranking = [market("c"), market("tether"), market("b")]
        let update = board.apply(second)
        #expect(board.entries.map(\.market.text) == ["tether", "c"])
        #expect(update.samples.map(\.market.text) == ["c"])
        var third = answer(quote("a", "1", at: moment()), quote("c", "3", at: moment()), at: moment(121))
        third.ranking = [market("a"), market("c")]
        #expect(
            board.apply(third).outcome == .unchanged,
            "what left and came back with the same quote is not recorded twice"
        )
    }

    @Test("a market without a price is missed answer after answer, wherever it ranks")
    func missedWhileRanked() {
        var board = board(top: 2)
        for (step, ranking) in [["a", "b"], ["a", "b"], ["b", "a"], ["b", "a"]].enumerated() {
            let time = Double(step * 60)
            var next = answer(quote("b", "2", at: moment(time)), unusable: ["a": .nullPrice], at: moment(time + 1))
            next.ranking = ranking.map(market)
            _ = board.apply(next)
            #expect(board.markets == ranking.map(market))
            #expect(board[market("a")]?.missedAnswers == step + 1)
            #expect(board[market("b")]?.missedAnswers == 0)
        }
    }

    @Test("a board that begins from the history shows its prices and knows what is older")
    func remembers() {
        let newest = MarketBoard.PriceSample(
            price: price("100"), quotedAt: moment(), fetchedAt: moment(1), feed: "test")
        var board = MarketBoard(
            watching: Watchlist(
                named: [Watchlist.Item(market: market("bitcoin"), staleness: .init(after: .minutes(15)))], top: 0,
                staleness: .init(after: .minutes(15)), currencies: .init(usd())),
            remembering: [market("bitcoin"): .init(symbol: "btc", name: "Bitcoin", newest: newest)])
        #expect(board[market("bitcoin")]?.shown?.price == price("100"))
        #expect(board.apply(answer(quote("bitcoin", "100", at: moment()), at: moment(61))).outcome == .unchanged)
    }

    @Test("a market that stays among the largest keeps counting what it missed")
    func stayingAmongTheLargest() {
        var board = board("bitcoin", top: 2)
        func answered(_ ranking: String...) {
            var said = answer(quote("bitcoin", "1", at: moment()), at: moment())
            said.ranking = ranking.map(market)
            _ = board.apply(said)
        }
        answered("x", "y")
        answered("y", "x")
        answered("x", "z")
        #expect(board.markets.map(\.text) == ["bitcoin", "x", "z"])
        #expect(board.entries.map(\.missedAnswers) == [0, 3, 1])
    }

    @Test("another watchlist keeps what is known of those that stay, and the price of those that come back")
    func anotherWatchlist() {
        var board = board("bitcoin", "ethereum")
        func watch(_ ids: String...) {
            board.watch(
                Watchlist(
                    named: ids.map { .init(market: market($0), staleness: .init(after: .minutes(15))) }, top: 0,
                    staleness: .init(after: .minutes(15)), currencies: .init(usd())))
        }
        _ = board.apply(
            answer(quote("bitcoin", "1", at: moment()), unusable: ["ethereum": .nullPrice], at: moment()))
        watch("ethereum", "tether")
        #expect(board.markets.map(\.text) == ["ethereum", "tether"])
        #expect(board[market("ethereum")]?.lastAnswer == .unknown(.nullPrice))
        #expect(board[market("ethereum")]?.missedAnswers == 1)
        #expect(board[market("tether")]?.lastAnswer == .unknown(.notAsked))
        watch("bitcoin")
        #expect(board[market("bitcoin")]?.shown?.price == price("1"))
    }
}
