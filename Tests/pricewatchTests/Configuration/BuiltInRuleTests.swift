import Engine
import Markets
import Testing

@testable import pricewatch

@Suite struct BuiltInRuleTests {
    private func rule(_ name: String, _ text: String) throws -> AlertRule? {
        try configuration(text).alertRules.first { $0.name == name }
    }

    @Test func `they stand unasked, those about markets for named ones alone`() throws {
        let rules = try configuration("watch: {markets: [a, b]}\nalerts: [{name: x, market: c, above: 1}]").alertRules
        #expect(rules.map(\.name) == ["x", "feed-stale", "market-stale", "market-missing"])
        #expect(rules.map(\.severity) == [.warning, .critical, .warning, .warning])
        #expect(
            rules.map(\.condition.description).dropFirst() == [
                "no usable answer for 10m", "state stale for 10m", "no usable price in 3 answers",
            ])
        let named = try ["a", "b", "c"].map { try MarketID($0) }
        #expect(rules.map(\.scope).dropFirst() == [.feed(try MarketID("coingecko")), .markets(named), .markets(named)])
        #expect(try configuration("").alertRules.map(\.name) == ["feed-stale"])
        #expect(try configuration("builtin_alerts: false").alertRules.isEmpty)
    }

    @Test(arguments: [
        ("poll: {every: 1m}", "10m"), ("poll: {every: 5m}", "15m"),
        ("alerts: [{name: feed-stale, for: 30m}]", "30m"), ("alerts: [{name: feed-stale, stale: 5s}]", "5s"),
    ])
    func `feed-stale waits for ten minutes, for three intervals if longer, or as configured`(text: String, wait: String)
        throws
    {
        #expect(try rule("feed-stale", text)?.condition.description == "no usable answer for \(wait)")
    }

    @Test func `a rule of the same name changes the keys it names`() throws {
        let text = """
            watch: {markets: [a]}
            alerts:
              - {name: feed-stale, severity: info, notify: []}
              - {name: market-stale, markets: all, stale: 1h, repeat: 1d}
              - {name: market-missing, enabled: false}
            """
        let feed = try rule("feed-stale", text)
        #expect(feed?.severity == .info && feed?.notify == [] && feed?.condition == .feedStale(.minutes(10)))
        let stale = try rule("market-stale", text)
        #expect(stale?.scope == .all && stale?.condition == .marketStale(.hours(1)))
        #expect(stale?.repeatEvery == .hours(24) && stale?.severity == .warning)
        #expect(try rule("market-missing", text)?.enabled == false)
        #expect(try configuration(text).alertRules.count == 3)
    }

    @Test(arguments: [
        ("{name: feed-stale, market: a}", "alerts[0].market: does not belong to feed-stale"),
        ("{name: market-missing, above: 1}", "alerts[0].above: does not belong to market-missing"),
        ("{name: market-missing, stale: 1m}", "alerts[0].stale: does not belong to market-missing"),
        ("{name: market-stale, for: 1m, stale: 1m}", "alerts[0].for: says the same as stale"),
        ("{name: market-stale, fro: 1m}", "alerts[0].fro: unknown key; did you mean alerts[0].for?"),
    ])
    func `what does not belong there is a fault`(rule: String, fault: String) throws {
        let faults = try ConfigurationScene().faults("alerts: [\(rule)]")
        #expect(faults.count == 1 && faults[0].contains(fault), "\(faults)")
    }

    @Test func `without the built-in rules their names are free`() throws {
        let text = "builtin_alerts: false\nalerts: [{name: feed-stale, market: a, above: 1}]"
        #expect(try configuration(text).alertRules.map(\.condition.description) == ["above 1"])
    }

    @Test func `every condition and modifier reaches the decision`() throws {
        let text = """
            builtin_alerts: false
            alerts:
              - {name: a, market: m, outside: [0.99, 1.01], clear: 1, for: 2m, keep_firing_for: 3m}
              - {name: b, markets: all, rises: 5%, within: 1h, repeat: 4h, repeat_on_move: 2.5%}
              - {name: c, market: m, falls: 5%, within: 1h, once: true, expires: 2026-12-31}
              - {name: d, market: m, moves: 5%, within: 1d}
              - {name: e, market: m, new_high: 30d}
              - {name: f, market: m, new_low: 1w}
              - {name: g, market: m, stale: 10m}
            """
        let rules = try configuration(text).alertRules
        #expect(
            rules.map(\.condition.description) == [
                "outside 0.99 to 1.01", "rises 5% within 1h", "falls 5% within 1h", "moves 5% within 1d",
                "new_high 30d",
                "new_low 1w", "stale 10m",
            ])
        #expect(rules[0].clear == Price(parsing: "1") && rules[0].keepFiringFor == .minutes(3))
        #expect(rules[1].repeatEvery == .hours(4) && rules[1].repeatOnMove == Percent(hundredths: 250))
        #expect(rules[2].once && rules[2].expires?.utcText == "2026-12-31T00:00:00Z")
    }
}
