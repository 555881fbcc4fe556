import Foundation
import Markets
import Testing

@testable import Engine

/// A portfolio on the board: its value, and when it has none.
@Suite struct PortfolioTests {
    /// Compared with Python: `decimal` with 400 digits, rounded half to even to 18.
    @Test(
        "the exact sum of amount × price, rounded beyond the 18th digit alone",
        arguments: [
            ("0.5 x 60000 + 3 x 2000", "36000"),
            ("0.1 x 0.1 + 0.2 x 0.1", "0.03"),
            // A half goes to the even neighbour, unless anything follows it, however small.
            ("1 x 100000000000000000 + 0.5 x 1", "100000000000000000"),
            ("1 x 100000000000000001 + 0.5 x 1", "100000000000000002"),
            (
                "1 x 100000000000000000 + 0.5 x 1 + 0.000000000000000001 x 0.00000000000000001",
                "100000000000000001"
            ),
            (
                "184890.42996 x 0.00000000000006991 + 0.00074 x 0.00544 + 0.0000346 x 0.0000000000000027422815957711",
                "0.00000403852568995859848"
            ),
            (
                "0.376 x 0.000000000162 + 8.825107365 x 0.000000001396627367485 + 0.000770736660454 x 0.0037 "
                    + "+ 0.042455 x 249849296083197.5", "10607351865212.1499"
            ),
            (
                "0.000000000000066429 x 6049587237562600 + 0.0000000000947012019614 x 0.000002129905 "
                    + "+ 0.000000000000000003808914984605323 x 0.0000006613 + 0.000000856543897195 x 476306688327190.94",
                "407977988.947846947"
            ),
            (
                "0.0000258105242805810621 x 0.0006559586563763 + 0.0000000000009915966258639269 x 82567741.975268 "
                    + "+ 0.00000000003757917247 x 0.839 + 0.000000000000000006 x 1203611649952.05 "
                    + "+ 6.93503950985941731 x 447.43975619", "3103.0124765720412"
            ),
            (
                "200 x 962930624879.51246 + 0.000005489260858 x 0.000000000578700535 + 0.00000623069404 x 20229008.396 "
                    + "+ 639838738 x 0.00000000007774447 + 370000000 x 62364", "215660804976028.583"
            ),
            (
                "5.827168109 x 0.000001336915 + 682499907445.31 x 0.00006949690376269 + 617266223.4730413 x "
                    + "4.1123570054657814", "2585850708.72254728"
            ),
            ("0.29302402308 x 0.0000000015739 + 0.000000000000000004 x 0.0000027", "0.0000000004611905099256228"),
            ("1.5 x 9.4474 + 9213708552126465 x 5.9512 + 4986479.5697 x 0.000000536163878", "54832622335415035.4"),
            (
                "0.40022557900493956 x 55983913755423.041 + 0.000000071183114196 x 0.000000000000005129",
                "22406194297726.7869"
            ),
            ("343.75859096725 x 973.01484911005 + 992.215674822468877 x 644458.3503", "639776159.15140982"),
            // Out of the range of prices.
            ("1000000000000000000 x 1 + 0.000000000000000001 x 1", "1000000000000000000"),
            ("1000000000000000000 x 1 + 1 x 6", "-"),
            ("1000000000000000000 x 1000000000000000000", "-"),
            ("0.0000000003448 x 0.000000000001689527", "-"),
            ("0.000000001 x 0.000000001", "0.000000000000000001"),
            ("0.000000000000000001 x 0.000000000000000001", "-"),
        ])
    func sum(text: String, expected: String) {
        let products = text.split(separator: "+").map { product in
            let factors = product.split(separator: "x").map { price($0.trimmingCharacters(in: .whitespaces)) }
            return (amount: factors[0], price: factors[1])
        }
        #expect(Price.sum(of: products)?.description ?? "-" == expected)
    }

    /// Half a bitcoin and three of ethereum, `gold` asked of a feed of its own where it is held, too.
    private func board(
        withGold: Bool = false, staleAfter: Duration = .minutes(15),
        remembering known: [MarketID: MarketBoard.Remembered] = [:]
    ) -> MarketBoard {
        var parts = [
            Portfolio.Part(market("bitcoin"), amount: price("0.5")),
            Portfolio.Part(market("ethereum"), amount: price("3")),
        ]
        let staleness = Staleness(after: staleAfter)
        var items = parts.map { Watchlist.Item(market: $0.market, staleness: staleness, moveLimit: percent("20")) }
        if withGold {
            parts.append(.init(market("gold"), amount: price("2")))
            items.append(.init(market: market("gold"), staleness: .init(after: .hours(2)), source: .own("gold")))
        }
        items.append(
            .init(market: market("savings"), staleness: .never, portfolio: Portfolio(parts, cost: 25_000)))
        return MarketBoard(
            watching: Watchlist(named: items, top: 0, staleness: staleness, currencies: .init(usd())),
            remembering: known)
    }

    private func percent(_ text: String) -> Percent? { Decimal(wholeText: text).flatMap(Percent.init(rounding:)) }

    private func value(_ board: MarketBoard, at now: Date) -> String {
        guard let entry = board[market("savings")] else { return "not watched" }
        let shown = StatusReport.Market(entry, nil, at: now)
        return shown.price?.description ?? "\(shown.state.rawValue) \(shown.reason?.rawValue ?? "-")"
    }

    @Test("it has the newest quote's time, and is recorded with the poll of its parts")
    func recorded() throws {
        var board = board()
        let update = board.apply(
            answer(quote("bitcoin", "60000", at: moment(-30)), quote("ethereum", "2000", at: moment(-90)), at: moment())
        )
        #expect(value(board, at: moment()) == "36000")
        let sample = try #require(update.samples.last)
        #expect(sample.market == market("savings") && sample.quotedAt == moment(-30) && sample.confirmed)
        #expect(sample.amounts == "0.5 bitcoin, 3 ethereum")
        // It was not asked for: two markets were, and got a price.
        #expect(update.asked == 2 && update.usable == 2 && update.outcome == .ok && update.unknown.isEmpty)
        let entry = try #require(board[market("savings")])
        #expect(entry.newest?.fetchedAt == moment() && entry.newest?.feed == "test")
        let shown = StatusReport.Market(entry, nil, at: moment())
        #expect(shown.cost == 25_000 && shown.gain == 11_000 && shown.gainPercent == percent("44"))
    }

    @Test("what has not changed is not recorded again")
    func unchanged() {
        var board = board()
        let quotes = [quote("bitcoin", "60000", at: moment()), quote("ethereum", "2000", at: moment())]
        _ = board.apply(answer(quotes[0], quotes[1], at: moment(1)))
        var update = board.apply(answer(quotes[0], quotes[1], at: moment(60)))
        #expect(update.samples.isEmpty && update.outcome == .unchanged)
        update = board.apply(nothingNew(at: moment(120)))
        #expect(update.samples.isEmpty && update.unknown.isEmpty && update.outcome == .unchanged)
        #expect(value(board, at: moment(120)) == "36000")
        #expect(board[market("savings")]?.newest?.fetchedAt == moment(120))
        // The sum is the same, and a quote is newer.
        update = board.apply(answer(quotes[0], quote("ethereum", "2000", at: moment(150)), at: moment(180)))
        #expect(update.samples.map(\.market.text) == ["ethereum", "savings"])
    }

    @Test("unknown as soon as one part is: missing, null, or nothing known yet")
    func incomplete() {
        var board = board()
        #expect(value(board, at: moment()) == "unknown not_asked")
        var update = board.apply(answer(quote("bitcoin", "60000", at: moment()), at: moment()))
        #expect(value(board, at: moment()) == "unknown incomplete")
        #expect(update.unknown.map(\.reason) == [.notAnswered, .incomplete])
        #expect(update.samples.map(\.market.text) == ["bitcoin"])
        update = board.apply(
            answer(quote("bitcoin", "60000", at: moment(60)), quote("ethereum", "2000", at: moment(60)), at: moment(60))
        )
        #expect(value(board, at: moment(60)) == "36000")
        update = board.apply(
            answer(quote("bitcoin", "60000", at: moment(120)), unusable: ["ethereum": .nullPrice], at: moment(120)))
        #expect(value(board, at: moment(120)) == "unknown incomplete")
        #expect(update.samples.map(\.market.text) == ["bitcoin"])
        var rules: [Price?] = []
        board.eachPrice(at: moment(120).milliseconds, answered: [.shared]) { _, price, _, isFresh in
            rules.append(isFresh ? price : nil)
        }
        #expect(rules == [price("60000"), nil, nil])
    }

    @Test("unknown at the moment at which the first part becomes stale, without a poll, too")
    func stalePart() {
        var board = board()
        _ = board.apply(
            answer(quote("bitcoin", "60000", at: moment(-600)), quote("ethereum", "2000", at: moment()), at: moment()))
        #expect(value(board, at: moment(300)) == "36000")
        #expect(board[market("bitcoin")]?.state(at: moment(301)) == .stale)
        #expect(board[market("ethereum")]?.state(at: moment(301)) == .fresh)
        #expect(value(board, at: moment(301)) == "unknown incomplete")
        var rules: [Price?] = []
        board.eachPrice(at: moment(301).milliseconds, answered: [.shared]) { _, price, _, isFresh in
            rules.append(isFresh ? price : nil)
        }
        #expect(rules == [nil, price("2000"), nil])
    }

    @Test("a part of another source counts until it is stale, and its news come with the next poll of the portfolio's")
    func twoSources() {
        var board = board(withGold: true)
        func poll(_ bitcoin: String, at second: Double) -> BoardUpdate {
            board.apply(
                answer(
                    quote("bitcoin", bitcoin, at: moment(second)), quote("ethereum", "2000", at: moment(second)),
                    at: moment(second)))
        }
        #expect(poll("60000", at: 0).unknown.map(\.reason) == [.incomplete])
        var update = board.apply(answer(quote("gold", "4000", at: moment(10)), at: moment(10)), of: .own("gold"))
        #expect(update.samples.map(\.market.text) == ["gold"] && value(board, at: moment(10)) == "unknown incomplete")
        #expect(poll("60000", at: 60).samples.last?.price == price("44000"))
        update = board.apply(answer(quote("gold", "4100", at: moment(70)), at: moment(70)), of: .own("gold"))
        #expect(update.unknown.isEmpty && value(board, at: moment(70)) == "44000")
        // The provider says that nothing is new, and that is what its poll was.
        update = board.apply(nothingNew(at: moment(120)))
        #expect(update.samples.map { "\($0.market) \($0.price)" } == ["savings 44200"] && update.outcome == .unchanged)
        #expect(poll("60000", at: 7269).samples.last?.price == price("44200"))
        #expect(poll("60000", at: 7271).unknown.map(\.reason) == [.incomplete])
    }

    @Test("a move of a part that waits counts when it is trusted; the sum itself never waits")
    func confirmation() {
        var board = board()
        func poll(_ bitcoin: String, at second: Double) -> [String] {
            board.apply(
                answer(
                    quote("bitcoin", bitcoin, at: moment(second)), quote("ethereum", "2000", at: moment(second)),
                    at: moment(second))
            ).samples.filter(\.confirmed).map { "\($0.market) \($0.price)" }
        }
        #expect(poll("60000", at: 0).last == "savings 36000")
        #expect(poll("6000000", at: 60) == ["ethereum 2000", "savings 36000"])
        #expect(poll("60100", at: 120) == ["bitcoin 60100", "ethereum 2000", "savings 36050"])
        #expect(poll("600000", at: 180) == ["ethereum 2000", "savings 36050"])
        #expect(poll("600000", at: 240) == ["bitcoin 600000", "ethereum 2000", "savings 306000"])
    }

    @Test("a value out of range is unknown, never wrong")
    func outOfRange() {
        var board = board()
        let update = board.apply(
            answer(
                quote("bitcoin", "1000000000000000000", at: moment()),
                quote("ethereum", "1000000000000000000", at: moment()), at: moment()))
        #expect(value(board, at: moment()) == "unknown bad_price")
        #expect(update.unknown.map(\.reason) == [.badPrice] && update.samples.count == 2)
    }

    @Test("an answer without a usable price changes nothing, as nothing of it is recorded")
    func nothingUsable() {
        var board = board()
        _ = board.apply(
            answer(quote("bitcoin", "60000", at: moment()), quote("ethereum", "2000", at: moment()), at: moment()))
        var failed = Answer(fetchedAt: moment(60))
        failed.unreached = [market("bitcoin"), market("ethereum")]
        let update = board.apply(failed)
        #expect(update.outcome == .failed && update.unknown.map(\.reason) == [.notAsked, .notAsked, .notAsked])
        #expect(value(board, at: moment(60)) == "36000")
    }

    @Test("an answer in which no price is usable leaves no value either")
    func allUnusable() {
        var board = board()
        _ = board.apply(
            answer(quote("bitcoin", "60000", at: moment()), quote("ethereum", "2000", at: moment()), at: moment()))
        let update = board.apply(answer(unusable: ["bitcoin": .nullPrice, "ethereum": .nullPrice], at: moment(60)))
        #expect(update.outcome == .failed && update.samples.isEmpty)
        #expect(value(board, at: moment(60)) == "unknown incomplete")
    }

    @Test(
        "after a start it has its recorded value, unless a part got a newer price without it",
        arguments: [(-300.0, "36000"), (-60.0, "unknown incomplete")])
    func restored(ethereumQuoted: Double, expected: String) {
        let prices = [("bitcoin", "60000", -300), ("ethereum", "2000", ethereumQuoted), ("savings", "36000", -300)]
        let known = prices.map { id, value, quoted in
            let sample = MarketBoard.PriceSample(
                price: price(value), quotedAt: moment(quoted), fetchedAt: moment(quoted), feed: "test")
            return (market(id), MarketBoard.Remembered(symbol: "", name: "", newest: sample))
        }
        var board = board(remembering: Dictionary(uniqueKeysWithValues: known))
        #expect(value(board, at: moment()) == expected)
        _ = board.apply(
            answer(quote("bitcoin", "60000", at: moment()), quote("ethereum", "2000", at: moment()), at: moment()))
        #expect(value(board, at: moment()) == "36000")
    }

    @Test("a message shows no value that has ended with the price of a part")
    func endedValue() throws {
        var settings = Settings.test(
            ["bitcoin", "ethereum"],
            rules: [AlertRule(name: "old", scope: .markets([market("savings")]), condition: .stale(.minutes(20)))])
        settings.watchlist.named.append(
            .init(
                market: market("savings"), staleness: .never,
                portfolio: Portfolio([.init(market("bitcoin"), amount: price("2"))])))
        var scene = EngineScene(settings, feeds: ["a": [gives("10"), fails()]])
        scene.poll(30)
        let firing = try #require(scene.log.first { $0.event == "alert.firing" })
        let keys = firing.fields.pairs.map(\.key)
        #expect(keys.contains("market") && !keys.contains("price"), "\(firing.fields)")
    }

    @Test("after a kill at any moment an alert on it fires once")
    func killed() {
        var settings = Settings.test(
            ["bitcoin", "ethereum"],
            rules: [levelRule(above: "36000", on: "savings")])
        settings.watchlist.named.append(
            .init(
                market: market("savings"), staleness: .never,
                portfolio: Portfolio([
                    .init(market("bitcoin"), amount: price("0.5")), .init(market("ethereum"), amount: price("3")),
                ])))
        var scene = EngineScene(settings, feeds: ["a": [gives { $0.text == "bitcoin" ? "60002" : "2000" }]])
        scene.take(.woke)
        let request = scene.requests.last
        let answered = request.map {
            Input.answered($0.source, gives { $0.text == "bitcoin" ? "60002" : "2000" }($0, scene.now))
        }
        // Killed between the commit and the log.
        if let answered { scene.crash(taking: answered) }
        scene.poll(3)
        #expect(scene.announced == ["firing"])
        scene.restart()
        scene.poll(3)
        #expect(scene.announced == ["firing"])
        #expect(scene.delivered.map(\.words) == ["high firing"])
    }

    @Test("a coin that has its id is not asked for, and its price is not taken")
    func collision() {
        var board = board()
        _ = board.apply(
            answer(
                quote("bitcoin", "60000", at: moment()), quote("ethereum", "2000", at: moment()),
                quote("savings", "0.01", at: moment()), at: moment()))
        #expect(value(board, at: moment()) == "36000")
    }
}
