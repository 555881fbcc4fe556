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
              phone: {ntfy: "https://ntfy.sh/my-topic", quiet: ["23:00-07:00", "Sat-Sun 00:00-10:00"]}
              ops: {webhook: "https://example.org/my-hook", send_resolved: false, max_age: 2h}
            alerts:
              - {name: all, market: bitcoin, above: 1}
              - {name: one, market: bitcoin, above: 1, notify: [ops]}
              - {name: none, market: bitcoin, above: 1, notify: []}
            digest: {at: 8:00, on: [mon, thu-fri], notify: [phone]}
            """)
        func ends(_ rule: String, _ end: String) -> Bool {
            lines.contains { $0.hasPrefix("  \(rule): ") && $0.hasSuffix(end) }
        }
        #expect(ends("all", ", to phone, ops"))
        #expect(ends("one", ", to ops"))
        #expect(ends("none", ", to log and status only"))
        #expect(ends("feed-stale", ", to phone, ops"))
        #expect(
            lines.contains("  phone: ntfy, quiet 23:00-07:00, sat,sun 00:00-10:00 below critical, given up after 1d"))
        #expect(lines.contains("  ops: webhook, no word of resolved alerts, given up after 2h"))
        #expect(lines.contains("digest:        on mon,thu,fri at 08:00 to the log, phone"))
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

    @Test("all that a rule was given is shown, and where a feed's own url leads, without what may be secret")
    func modifiers() throws {
        let lines = try lines(
            """
            feeds:
              - {provider: coingecko, url: "http://127.0.0.1:8080/api/v3"}
              - {provider: json, name: own, every: 1h, url: "https://p.example.org/hush/{id}?t=hush", currency: usd, \
            fields: {price: /p}}
            watch: {markets: [bitcoin, {id: X, feed: own}]}
            alerts:
              - {name: a, market: bitcoin, above: 2, for: 1m, clear: 1, keep_firing_for: 2m, repeat: 3m, \
            repeat_on_move: 4%, once: true}
            """)
        #expect(
            lines.contains {
                $0.hasPrefix(
                    "  a: bitcoin above 2 for 1m, clears at 1, kept firing for 2m, repeated every 3m, repeated at each "
                        + "further 4%, once, warning")
            })
        #expect(lines.contains("asks:          coingecko (plan public, at http://127.0.0.1:8080) every 1m"))
        #expect(lines.contains { $0.hasPrefix("asks:          own (json, at https://p.example.org) every 1h") })
        #expect(!lines.contains { $0.contains("hush") })
    }

    @Test(
        "a program that cannot be run is warned of",
        arguments: [
            ("/bin/sh", nil), ("sh", nil), ("/nowhere/on-alert", "/nowhere/on-alert: no such file or directory"),
            ("no-such-program", "no-such-program: there is no such program in PATH="),
            ("/etc/passwd", "/etc/passwd: it may not be run (chmod +x"), ("/etc", "/etc: it is no file"),
        ])
    func program(program: String, warning: String?) throws {
        let warnings = try lines("notify: {me: {exec: [\(program), -x]}}").filter { $0.hasPrefix("warning: ") }
        #expect(warnings.count == (warning == nil ? 0 : 1))
        if let warning { #expect(warnings.first?.hasPrefix("warning: me: \(warning)") == true, "\(warnings)") }
    }

    @Test("a standby is measured by its quota, too")
    func standby() throws {
        let feeds = "watch: {markets: [bitcoin]}\nfeeds: [{provider: coingecko}, {provider: coinpaprika}]\n"
        let lines = try lines(feeds)
        #expect(
            lines.contains(
                "costs:         1 request a poll while it serves, 44640 if it served a whole month (quota 20000)"))
        #expect(
            lines.contains(
                "warning: coinpaprika: if it served a whole month, its quota of 20000 would stretch the interval to "
                    + "2m14s"))
        #expect(try !self.lines(feeds + "poll: {every: 5m}").contains { $0.contains("would stretch") })
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
            findings.lines.contains { $0.hasPrefix("  old: ") && $0.hasSuffix(" (expired at 2026-11-20 00:00:00 UTC)") }
        )
        #expect(findings.lines.contains { $0.hasPrefix("  new: ") && $0.hasSuffix(" (until 2026-11-22 00:00:00 UTC)") })
        #expect(
            findings.json.contains(
                #""name":"old","condition":"above 1","severity":"warning","notify":[],"enabled":false"#))
        #expect(
            findings.json.contains(
                #""name":"new","condition":"above 1","severity":"warning","notify":[],"enabled":true"#))
    }
}
