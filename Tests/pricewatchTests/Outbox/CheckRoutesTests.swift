import Testing

@testable import pricewatch

/// `check` says where each rule goes.
@Suite struct CheckRoutesTests {
    private func lines(_ text: String) throws -> [String] {
        try CheckFindings(ConfigurationScene().reading(text), online: nil, now: ChartScene.moment(0)).lines
    }

    @Test("channels, their quiet hours, and the channels of each rule; no secret")
    func routes() throws {
        let lines = try lines(
            """
            watch: {markets: [bitcoin]}
            notify:
              phone: {ntfy: "https://ntfy.sh/my-topic", quiet: "23:00-07:00"}
              ops: {webhook: "https://example.org/my-hook", send_resolved: false, max_age: 2h}
            alerts:
              - {name: all, market: bitcoin, above: 1}
              - {name: one, market: bitcoin, above: 1, notify: [ops]}
              - {name: none, market: bitcoin, above: 1, notify: []}
            digest: {at: 8:00, notify: [phone]}
            """)
        func ends(_ rule: String, _ end: String) -> Bool {
            lines.contains { $0.hasPrefix("  \(rule): ") && $0.hasSuffix(end) }
        }
        #expect(ends("all", ", to phone, ops"))
        #expect(ends("one", ", to ops"))
        #expect(ends("none", ", to log and status alone"))
        #expect(ends("feed-stale", ", to phone, ops"))
        #expect(lines.contains("  phone: ntfy, quiet 23:00-07:00 below critical, given up after 1d"))
        #expect(lines.contains("  ops: webhook, no word of resolved alerts, given up after 2h"))
        #expect(lines.contains("digest:        at 08:00 to the log, phone"))
        #expect(!lines.contains { $0.contains("my-topic") || $0.contains("my-hook") || $0.contains("no channel") })
    }

    @Test(
        "without a channel it warns, unless no rule asks for one",
        arguments: [
            ("watch: {markets: [bitcoin]}", true), ("watch: {markets: [bitcoin]}\nbuiltin_alerts: false", false),
            ("builtin_alerts: false\nalerts: [{name: a, market: bitcoin, above: 1}]", true),
            ("builtin_alerts: false\nalerts: [{name: a, market: bitcoin, above: 1, notify: []}]", false),
        ])
    func warning(text: String, warns: Bool) throws {
        #expect(try lines(text).contains { $0.hasPrefix("warning: no channel is configured") } == warns)
    }

    @Test("a rule that has expired is not shown as one that watches")
    func expired() throws {
        let text = """
            watch: {markets: [bitcoin]}
            alerts:
              - {name: old, market: bitcoin, above: 1, expires: 2026-11-20}
              - {name: new, market: bitcoin, above: 1, expires: 2026-11-22}
            """
        let findings = try CheckFindings(ConfigurationScene().reading(text), online: nil, now: ChartScene.moment(0))
        #expect(
            findings.lines.contains { $0.hasPrefix("  old: ") && $0.hasSuffix(" (expired at 2026-11-20T00:00:00Z)") })
        #expect(findings.lines.contains { $0.hasPrefix("  new: ") && $0.hasSuffix(" (until 2026-11-22T00:00:00Z)") })
        #expect(
            findings.json.contains(
                #""name":"old","condition":"above 1","severity":"warning","notify":[],"enabled":false"#))
        #expect(
            findings.json.contains(
                #""name":"new","condition":"above 1","severity":"warning","notify":[],"enabled":true"#))
    }
}
