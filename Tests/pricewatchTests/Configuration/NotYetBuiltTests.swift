import Testing

@testable import pricewatch

@Suite struct NotYetBuiltTests {
    static let examples: [(key: String, text: String)] = [
        ("alerts[].outside", "alerts: [{name: a, market: a, outside: [0.99, 1.01]}]"),
        ("alerts[].rises", "alerts: [{name: a, market: a, rises: 5%, within: 1h}]"),
        ("alerts[].falls", "alerts: [{name: a, market: a, falls: 2.5 %, within: 1h}]"),
        ("alerts[].moves", "alerts: [{name: a, market: a, moves: 5%, within: 1h}]"),
        ("alerts[].new_high", "alerts: [{name: a, market: a, new_high: 30d}]"),
        ("alerts[].new_low", "alerts: [{name: a, market: a, new_low: 30d}]"),
        ("alerts[].stale", "alerts: [{name: a, market: a, stale: 10m}]"),
        ("alerts[].keep_firing_for", "alerts: [{name: a, market: a, above: 1, keep_firing_for: 5m}]"),
        ("alerts[].repeat", "alerts: [{name: a, market: a, above: 1, repeat: 4h}]"),
        ("alerts[].repeat_on_move", "alerts: [{name: a, market: a, above: 1, repeat_on_move: 2%}]"),
        ("alerts[].once", "alerts: [{name: a, market: a, above: 1, once: true}]"),
        ("alerts[].expires", "alerts: [{name: a, market: a, above: 1, expires: 2026-12-31}]"),
        ("builtin_alerts", "builtin_alerts: true"),
        ("feeds[].provider=coinpaprika", "feeds: [{provider: coinpaprika}]"),
        ("feeds[].provider=coinmarketcap", "feeds: [{provider: coinmarketcap, plan: demo, key: k}]"),
        ("feeds[].provider=binance", "feeds: [{provider: binance}]"),
        ("feeds[].provider=kraken", "feeds: [{provider: kraken}]"),
        (
            "feeds[].provider=json",
            "feeds: [{provider: json, name: stocks, url: \"https://example.org/?s={id}&t={key}\", key: k, "
                + "fields: {price: /last, quoted_at: /time}, time_format: epoch_s, headers: {X-A: b}}]"
        ),
        ("notify.*", "notify: {phone: {ntfy: \"https://ntfy.sh/t\", quiet: \"23:00-07:00\"}}"),
        ("digest.notify", "notify: {}\ndigest: {notify: [phone]}"),
        ("heartbeat", "heartbeat: {url: \"https://example.org/h\", every: 5m}"),
        ("poll.confirm_moves_over", "poll: {confirm_moves_over: 10%}"),
    ]

    @Test func `every entry has an example here, and only entries have`() {
        #expect(Set(Self.examples.map(\.key)) == Set(NotYetBuilt.entries.map(\.key)))
    }

    @Test(arguments: examples)
    func `what is not built is refused where silence would betray, else warned of`(key: String, text: String) throws {
        let entry = try #require(NotYetBuilt.entry(key))
        let faults = try ConfigurationScene().faults(text)
        switch entry.weight {
        case .fault:
            let others = key == "digest.notify" ? 1 : 0  // the channel cannot exist yet, either
            #expect(faults.count == 1 + others, "\(faults)")
            #expect(
                faults.contains { $0.contains("this release does not act on it yet: \(entry.meaning); leave it out") })
        case .warning:
            #expect(faults == [])
            let warnings = try ConfigurationScene().reading(text).warnings
            #expect(warnings.map(\.message) == ["this release does not act on it yet: \(entry.meaning)"])
        }
    }

    @Test func `the place is told as for any other fault`() throws {
        let faults = try ConfigurationScene().faults("alerts:\n  - name: a\n    market: a\n    stale: 10m\n")
        #expect(
            faults == [
                "p.yaml:4:5: alerts[0].stale: this release does not act on it yet: the alert could never fire; leave it out"
            ])
    }

    @Test(arguments: [
        "builtin_alerts: false", "poll: {confirm_moves_over: null}", "heartbeat: null",
        "notify: {}",
        "digest: {at: 8:00, notify: []}", "alerts: [{name: a, market: a, above: 1, once: false, repeat: null}]",
    ])
    func `asking for nothing is fine`(text: String) throws {
        #expect(try ConfigurationScene().reading(text).warnings.isEmpty)
    }
}
