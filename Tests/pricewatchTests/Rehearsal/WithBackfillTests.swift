import Foundation
import History
import Markets
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

/// What rules would have announced of backfilled prices, had they been polled.
@Suite struct WithBackfillTests {
    private let folder: TemporaryFolder
    private let start = Date(timeIntervalSince1970: 1_795_255_200)

    init() throws { folder = try TemporaryFolder() }

    private struct Polls {
        /// Minutes since the start.
        var minutes: Range<Int>
        var price = "100"
        var markets = ["bitcoin", "ethereum"]
    }

    /// Polls each minute, and then backfilled prices: by market, minute and price.
    private func record(_ polls: [Polls], backfilled: [String: [Int: String]]) throws {
        let writer = try HistoryWriter(at: folder.path + "/history.db")
        for polls in polls {
            for minute in polls.minutes {
                let at = start + .minutes(minute)
                let samples = try polls.markets.map { market in
                    Sample(
                        market: try MarketID(market), symbol: "s", name: "N",
                        price: try #require(Price(parsing: polls.price)), quotedAt: at)
                }
                let poll = PollRecord(
                    at: at, fetchedAt: at, feed: "test", currency: .usd, outcome: .ok, samples: samples,
                    watched: WatchedMarkets(samples.map(\.market)))
                try writer.record(poll)
            }
        }
        let now = start + .minutes(polls.map(\.minutes.upperBound).max() ?? 0)
        for (market, prices) in backfilled {
            let quotes = prices.compactMap { minute, text in
                Price(parsing: text).map { PastQuote(quotedAt: start + .minutes(minute), price: $0) }
            }
            try writer.backfill(
                BackfillAnswer(
                    market: try MarketID(market), currency: .usd, feed: "past", fetchedAt: now,
                    holes: Holes([(start - .hours(48))..<now]), quotes: quotes))
        }
        try writer.close()
    }

    private func report(
        _ rules: String, builtIn: Bool = false, withBackfilled: Bool = true, since: Date = .distantPast
    ) throws -> RehearsalReport {
        let configuration = try ConfigurationScene().reading(
            """
            builtin_alerts: \(builtIn)
            watch: {markets: [bitcoin, ethereum]}
            poll: {every: 1m, confirm_moves_over: null}
            history: {database: \(folder.path)/history.db}
            alerts:
              - \(rules)
            """
        ).configuration
        return try RehearsalReport(
            playing: HistoryReader(at: configuration.history.database), through: configuration.alertRules,
            configuration, since: since, withBackfilled: withBackfilled)
    }

    /// `60 firing bitcoin 50` for each event: minute, kind, market, price.
    private func events(_ rule: String, withBackfilled: Bool = true) throws -> [String] {
        try report(rule, withBackfilled: withBackfilled).rules.flatMap(\.events).map {
            "\(Int($0.at.since(start).inSeconds / 60)) \($0.kind.rawValue) \($0.market) \($0.price?.description ?? "-")"
        }
    }

    private func recordGap() throws {
        try record(
            [.init(minutes: 0..<10), .init(minutes: 100..<110)],
            backfilled: ["bitcoin": [30: "90", 40: "50", 50: "49", 60: "48", 70: "95"]])
    }

    @Test(
        "an alert in a backfilled gap fires and resolves with --with-backfill, and without it does not",
        arguments: [
            ("{name: low, market: bitcoin, below: 60}", ["40 firing bitcoin 50", "70 resolved bitcoin 95"]),
            (
                "{name: low, market: bitcoin, below: 60, for: 15m}",
                ["40 pending bitcoin 50", "60 firing bitcoin 48", "70 resolved bitcoin 95"]
            ),
            (
                // Eight tenths of the hour are known from the 48th minute on.
                "{name: drop, markets: all, falls: 30%, within: 1h}",
                ["50 firing bitcoin 49", "70 resolved bitcoin 95"]
            ),
        ])
    func gap(rule: String, expected: [String]) throws {
        try recordGap()
        #expect(try events(rule) == expected)
        #expect(try events(rule, withBackfilled: false) == [])
    }

    @Test(
        "a gap without a backfilled price of the market changes nothing; rules on the age of data go by polls alone",
        arguments: [
            "{name: held, market: ethereum, above: 1, for: 30m}", "{name: quiet, markets: all, stale: 6m}",
            "{name: rises, market: ethereum, rises: 1%, within: 30m}",
        ])
    func unwatched(rule: String) throws {
        try recordGap()
        let events = try report(rule, builtIn: true).rules.flatMap(\.events).filter { $0.kind != .pending }
        #expect(events.isEmpty, "\(events)")
    }

    @Test("prices backfilled at the first start are played, and those of a market that was added later")
    func firstStart() throws {
        try record(
            [
                .init(minutes: 0..<30, markets: ["bitcoin"]),
                .init(minutes: 30..<40),
            ],
            backfilled: [
                "bitcoin": Dictionary(uniqueKeysWithValues: (1...24).map { (-60 * $0, $0 == 12 ? "80" : "100") }),
                "ethereum": [-90: "10", -30: "11", 15: "30", 20: "31"],
            ])
        #expect(
            try events("{name: drop, market: bitcoin, falls: 20%, within: 4h}")
                == ["-720 firing bitcoin 80", "-660 resolved bitcoin 100"])
        #expect(
            try events("{name: jump, market: ethereum, above: 20, for: 5m}")
                == ["15 pending ethereum 30", "20 firing ethereum 31"])
        #expect(try events("{name: missing, market: ethereum, stale: 6m}") == [])
    }

    @Test("the number of backfilled prices is shown, and is in the JSON")
    func counted() throws {
        try recordGap()
        let rule = "{name: low, market: bitcoin, below: 60}"
        let report = try report(rule, since: start + .minutes(45))
        #expect(report.backfilledPrices == 3)
        #expect(report.polls == 10)
        let heading = RehearsalView.lines(report, Terminal(environment: [:]), in: .utc)[0]
        #expect(heading == "2026-11-21 10:45:00 to 11:49:00 UTC: 10 polls, 3 healed prices, 1 message")
        func backfilledPrices(_ report: RehearsalReport) throws -> Int? {
            var writer = JSONWriter()
            report.write(&writer)
            let document = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
            return document?["healed_prices"] as? Int
        }
        #expect(try backfilledPrices(report) == 3)
        let without = try self.report(rule, withBackfilled: false)
        #expect(try backfilledPrices(without) == nil)
        #expect(!RehearsalView.lines(without, Terminal(environment: [:]), in: .utc)[0].contains("healed"))
    }
}
