import Foundation
import GRDB
import Markets
import Testing

@testable import Engine
@testable import History

/// A share in euros beside bitcoin in dollars, in one database.
@Suite struct SeveralCurrenciesTests {
    private let folder: TemporaryFolder
    private let writer: HistoryWriter
    private let eur: Currency
    private let currencies: MarketCurrencies

    init() throws {
        folder = try TemporaryFolder()
        writer = try HistoryWriter(at: folder.database)
        eur = try Currency("eur")
        currencies = MarketCurrencies(usd(), others: [market("share"): eur])
    }

    private func watched(_ currencies: MarketCurrencies) -> WatchedMarkets {
        WatchedMarkets([market("bitcoin"), market("share")], named: [market("share")], currencies: currencies)
    }

    /// A cycle of two sources.
    private func record(
        _ second: Double, _ bitcoin: String, _ share: String, in currency: Currency? = nil,
        _ currencies: MarketCurrencies? = nil
    ) throws {
        var coins = poll(second, sample("bitcoin", bitcoin, quotedAt: second))
        coins.watched = watched(currencies ?? self.currencies)
        var stocks = poll(second, sample("share", share, quotedAt: second))
        (stocks.source, stocks.feed, stocks.currency) = (.own("stocks"), "stocks", currency ?? eur)
        stocks.watched = coins.watched
        try writer.commit(coins, stocks)
    }

    private func newest(_ currencies: MarketCurrencies) throws -> [String] {
        try writer.reader.newest(in: currencies).map { "\($0.key) \($0.value.newest.price)" }.sorted()
    }

    @Test("one commit writes both, and everything reads each market in its own")
    func both() throws {
        try record(0, "7", "200")
        try record(4000, "8", "210")
        #expect(try newest(currencies) == ["bitcoin 8", "share 210"])
        #expect(try newest(.init(usd())) == ["bitcoin 8"])
        #expect(try newest(.init(eur)) == ["share 210"])
        let past = try writer.reader.pastPrices(in: currencies, polledIn: moment(-1)..<moment(1))
        #expect(Set(past.map { "\($0.market) \($0.price)" }) == ["bitcoin 7", "share 200"])
        var hours: Set<String> = []
        try writer.reader.hourlyCandles(in: currencies, since: moment(), until: moment(3600)) {
            hours.insert("\($0) \($1.close)")
        }
        #expect(hours == ["bitcoin 7", "share 200"])
        let rows = try writer.queue.read {
            try String.fetchAll($0, sql: "SELECT DISTINCT market || ' ' || currency FROM prices ORDER BY 1")
        }
        #expect(rows == ["bitcoin usd", "share eur"])
    }

    @Test("another currency is another series, watched in place of the old one")
    func changed() throws {
        try record(0, "7", "200")
        let next = MarketCurrencies(usd())
        try record(60, "8", "300", in: usd(), next)
        func changes(_ currencies: MarketCurrencies) throws -> [String] {
            var words: [String] = []
            try writer.reader.play(
                [market("share")], in: currencies, since: moment(-1), withBackfilled: false
            ) { cycle in
                words += cycle.watchChanges.map {
                    "\($0.isWatched ? "+" : "-")@\(Int(cycle.at.since(moment()).inSeconds))"
                }
                words += cycle.polls.flatMap(\.samples).map { "\($0.price)" }
            }
            return words
        }
        #expect(try changes(currencies) == ["+@0", "200", "-@60"])
        #expect(try changes(next) == ["+@60", "300"])
        #expect(try newest(next) == ["bitcoin 8", "share 300"])
        #expect(try newest(currencies) == ["bitcoin 8", "share 200"])
        #expect(try writer.reader.currencies(of: market("share")) == [eur, usd()])
    }

    @Test("what is backfilled goes to the series of its currency")
    func backfilled() throws {
        try record(0, "7", "200")
        try record(7200, "8", "210")
        var answer = backfillAnswer("share", 0, 7200, (3600, "205"))
        answer.currency = eur
        #expect(try writer.backfill(answer) == 1)
        let quotes = try writer.reader.backfilledPrices(in: currencies, since: moment(1), until: moment(7000))
        #expect(quotes.map { "\($0.key) \($0.value.map(\.price))" } == ["share [205]"])
        #expect(try writer.reader.backfilledPrices(in: .init(usd()), since: moment(1), until: moment(7000)).isEmpty)
        let holes = try writer.reader.holes(
            of: ["bitcoin", "share"].map {
                MarketRhythm(
                    market($0), in: $0 == "share" ? .own("stocks") : .shared, longestStep: .minutes(2))
            }, in: currencies, moment()..<moment(7200))
        #expect(holes.mapValues(\.stretches.count) == [market("bitcoin"): 1, market("share"): 0])
    }
}
