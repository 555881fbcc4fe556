import Foundation
import History
import Markets
import Testing

@testable import Engine
@testable import Views
@testable import pricewatch

/// What is reported of rules that fire, that never fire, and that fire too often.
@Suite struct RehearsalReportTests {
    private let folder: TemporaryFolder
    private let start = Date(timeIntervalSince1970: 1_795_255_200)

    init() throws { folder = try TemporaryFolder() }

    /// A poll a minute, with these prices of each market.
    private func record(_ prices: [Int], markets: [String] = ["bitcoin"]) throws {
        let writer = try HistoryWriter(at: folder.path + "/history.db")
        for (minute, price) in prices.enumerated() {
            let at = start + .minutes(minute)
            let samples = try markets.map {
                Sample(
                    market: try MarketID($0), symbol: "", name: "", price: try #require(Price(parsing: "\(price)")),
                    quotedAt: at)
            }
            try writer.record(
                PollRecord(
                    at: at, fetchedAt: at + .seconds(1), feed: "test", currency: .usd, outcome: .ok, samples: samples,
                    watched: WatchedMarkets(samples.map(\.market), currencies: .init(.usd))))
        }
        try writer.close()
    }

    private func report(
        _ configuration: String, rule: String? = nil, since: Duration? = nil
    ) throws -> RehearsalReport {
        let configuration = try ConfigurationScene().reading(
            """
            builtin_alerts: false
            watch: {markets: [bitcoin]}
            poll: {every: 1m, confirm_moves_over: null}
            history: {database: \(folder.path)/history.db}
            \(configuration)
            """
        ).configuration
        return try RehearsalReport(
            playing: HistoryReader(at: configuration.history.database), through: configuration.alertRules,
            configuration,
            since: since.map { start + $0 } ?? .distantPast)
    }

    private func words(_ report: RehearsalReport, terminal: Terminal = Terminal(environment: [:])) -> [String] {
        RehearsalView.lines(report, terminal, in: .utc)
    }

    @Test("each feed's markets are judged when it answered, after a gap all with the last one, as they were live")
    func sources() throws {
        let writer = try HistoryWriter(at: folder.path + "/history.db")
        func record(_ id: String, _ feed: String, _ source: SourceID, minute: Int, second: Int) throws {
            let at = start + .minutes(minute)
            let sample = Sample(
                market: try MarketID(id), symbol: "", name: "", price: try #require(Price(parsing: "\(100 + minute)")),
                quotedAt: at)
            try writer.record(
                PollRecord(
                    at: at, fetchedAt: at + .seconds(second), feed: feed, source: source, currency: .usd, outcome: .ok,
                    samples: [sample],
                    watched: WatchedMarkets([try MarketID("bitcoin"), try MarketID("AAPL")], currencies: .init(.usd))))
        }
        for minute in [0, 1, 60] {
            try record("bitcoin", "coingecko", .shared, minute: minute, second: 1)
            try record("AAPL", "stocks", .own("stocks"), minute: minute, second: 20)
        }
        try writer.close()
        let configuration = try ConfigurationScene().reading(
            """
            builtin_alerts: false
            watch: {markets: [bitcoin, {id: AAPL, feed: stocks}]}
            feeds:
              - {provider: coingecko}
              - {name: stocks, provider: json, url: "https://example.com/{id}", fields: {price: /p}, currency: usd}
            poll: {every: 1m, confirm_moves_over: null}
            history: {database: \(folder.path)/history.db}
            alerts: [{name: high, markets: all, above: 100}, {name: higher, markets: all, above: 150}]
            """
        ).configuration
        let report = try RehearsalReport(
            playing: HistoryReader(at: folder.path + "/history.db"), through: configuration.alertRules, configuration,
            since: .distantPast)
        let fired = report.rules.map { rule in rule.events.map { "\($0.market) \(Int($0.at.since(start).inSeconds))" } }
        #expect(fired == [["bitcoin 61", "AAPL 80"], ["bitcoin 3620", "AAPL 3620"]])
    }

    @Test("firings with their time, market, price and length, and the messages they would have been")
    func firings() throws {
        try record([10, 20, 21, 9, 22, 23])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15}]")
        let rule = try #require(report.rules.first)
        #expect(rule.periods.map(\.from) == [start + .seconds(61), start + .seconds(241)])
        #expect(rule.periods.map { $0.price?.description } == ["20", "22"])
        #expect(rule.periods.map { $0.end?.at } == [start + .seconds(181), nil])
        #expect(rule.messages == 3)
        #expect(rule.hint == nil)
        #expect(words(report).contains { $0.hasSuffix("would have fired 2 times, 3 messages") }, "no day")
        #expect(words(report).contains { $0.contains("still fires") })
    }

    @Test("what lies before the beginning warms the rules and is not listed")
    func warm() throws {
        try record([10, 20, 21, 22, 9, 22])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15}]", since: .minutes(3))
        let rule = try #require(report.rules.first)
        #expect(rule.events.map(\.kind) == [.resolved, .firing])
        #expect(rule.periods.first?.from == start + .seconds(61))
        #expect(rule.periods.first?.price == nil)
        #expect(report.polls == 3)
    }

    @Test("a rule that fired all the time from before the beginning did not stay silent")
    func firesBefore() throws {
        try record([10, 20, 21, 22, 23])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15}]", since: .minutes(3))
        let rule = try #require(report.rules.first)
        #expect(rule.periods.map(\.from) == [start + .seconds(61)] && rule.periods.first?.end == nil)
        #expect(rule.hint?.code == "firing_before" && rule.messages == 0)
        let lines = words(report)
        #expect(lines.contains("high (bitcoin above 15): was firing already, 0 messages"))
        #expect(lines.last == "  it was firing before this time began, since 2026-11-21 10:01:01 UTC")
    }

    @Test("a condition that held from before the beginning, and not for long enough, is none that never held")
    func pendsBefore() throws {
        try record([10, 20, 21, 22, 23])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15, for: 1h}]", since: .minutes(3))
        #expect(report.rules.first?.hint?.code == "never_held")
    }

    @Test("messages a day are those of a day or more")
    func aDay() throws {
        try record(Array(repeating: 10, count: 1440) + [20, 10])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15}]")
        #expect(words(report).contains { $0.hasSuffix("would have fired 1 time, 2 messages, 2 a day") })
    }

    @Test("what lies before the beginning uses up no rule that fires once")
    func warmOnce() throws {
        try record([10, 20, 9, 22, 23])
        let report = try report("alerts: [{name: high, market: bitcoin, above: 15, once: true}]", since: .minutes(3))
        #expect(report.rules.first?.events.map(\.kind) == [.firing])
    }

    @Test(
        "why a rule is silent",
        arguments: [
            ("{name: r, market: bitcoin, above: 50}", "never_met"),
            ("{name: r, market: bitcoin, above: 15, for: 1h}", "never_held"),
            ("{name: r, market: bitcoin, rises: 500%, within: 1d}", "window_not_covered"),
            ("{name: r, market: bitcoin, rises: 500%, within: 2m}", "never_met"),
            ("{name: r, market: etherium, above: 1}", "no_data"),
            ("{name: r, market: bitcoin, above: 1, enabled: false}", "disabled"),
            ("{name: r, market: bitcoin, above: 1, expires: \"2026-11-01T00:00:00Z\"}", "expired"),
            ("{name: r, market: bitcoin, above: 1, notify: []}", "no_channel"),
            ("{name: r, market: bitcoin, above: 1}", nil),
        ] as [(String, String?)])
    func silence(rule: String, hint: String?) throws {
        try record([10, 20, 21, 9, 22])
        let report = try report("alerts: [\(rule)]")
        #expect(report.rules.first?.hint?.code == hint)
    }

    @Test("a level shows how near the price came")
    func nearest() throws {
        try record([10, 20, 21, 9, 22])
        let report = try report("alerts: [{name: r, market: bitcoin, above: 50}]")
        #expect(words(report).last?.contains("bitcoin was between 9 and 22") == true)
    }

    @Test("more than ten messages a day are too many")
    func noise() throws {
        try record((0..<12).map { $0.isMultiple(of: 2) ? 10 : 20 })
        let report = try report("alerts: [{name: r, market: bitcoin, above: 15}]")
        #expect(report.rules.first?.hint?.code == "noisy")
        #expect(report.rules.first?.hint?.message.contains("(11)") == true)
    }

    @Test("the events of a poll are one message to each channel that hears of them")
    func grouped() throws {
        try record([10, 20, 9, 30], markets: ["bitcoin", "ethereum"])
        let rule = """
            alerts: [{name: high, markets: [bitcoin, ethereum], above: 15}]
            notify: {one: {exec: [/bin/true], send_resolved: false}, two: {exec: [/bin/true]}}
            """
        let rehearsed = try #require(try report(rule).rules.first)
        #expect(rehearsed.events.count { $0.kind != .pending } == 6)
        #expect(rehearsed.messages == 5, "one two, two, one two")
    }

    @Test("messages are counted over the channels that hear of them")
    func audience() throws {
        var one = Configuration.Channel(routing: .init(name: "one"), address: .exec(["/bin/true"]))
        one.routing.sendResolved = false
        let channels = [one, Configuration.Channel(routing: .init(name: "two"), address: .exec(["/bin/true"]))]
        func audience(_ notify: [String]?, _ channels: [Configuration.Channel]) throws -> [Int] {
            let price = try #require(Price(parsing: "1"))
            var rule = AlertRule(name: "r", scope: .all, condition: .above(price))
            rule.notify = notify
            let audience = Audience(of: rule, among: channels)
            return [audience.channels, audience.reportsEnds]
        }
        #expect(try audience(nil, channels) == [2, 1])
        #expect(try audience(["one"], channels) == [1, 0])
        #expect(try audience([], channels) == [0, 0])
        #expect(try audience(nil, []) == [1, 1])
        #expect(try audience([], []) == [0, 0])
    }

    @Test("the document for programs")
    func json() throws {
        try record([10, 20, 9])
        var writer = JSONWriter()
        try report("alerts: [{name: high, market: bitcoin, above: 15}]").write(&writer)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        #expect(document["schema"] as? Int == 1)
        #expect(document["since"] as? String == "2026-11-21T10:00:00Z")
        #expect(document["polls"] as? Int == 3)
        let rule = try #require((document["rules"] as? [[String: Any]])?.first)
        #expect(rule["messages"] as? Int == 2)
        #expect(rule["firings"] as? Int == 1)
        let end = try #require((rule["events"] as? [[String: Any]])?.last)
        #expect(end["event"] as? String == "resolved")
        #expect(end["price"] as? String == "9")
        #expect(end["since"] as? String == "2026-11-21T10:01:01Z" && end["at"] as? String == "2026-11-21T10:02:01Z")
        #expect((rule["hints"] as? [Any])?.isEmpty == true)
    }

    @Test("a bar that grows")
    func bar() {
        #expect(ProgressBar("playing").line(0.5) == "playing [###############...............]  50 %")
        #expect(ProgressBar("playing").line(2).hasSuffix("##] 100 %"))
    }
}
