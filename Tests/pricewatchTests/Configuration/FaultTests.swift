import Testing

@testable import pricewatch

/// Each row: a file, and all that is said about it.
@Suite struct FaultTests {
    @Test(arguments: [
        // Wrong kinds and values.
        ("poll: {every: soon}", "p.yaml:1:15: poll.every: expected a duration such as 60s or 1h30m, found \"soon\""),
        ("poll:\n  every: 60", "p.yaml:2:10: poll.every: expected a duration such as 60s or 1h30m, found \"60\""),
        ("poll:\n  every: 999ms", "p.yaml:2:10: poll.every: must be at least 1s"),
        ("poll:\n  every: 10000w", "p.yaml:2:10: poll.every: must be at most 365d"),
        ("poll: {stale_after: 999999999w}", "p.yaml:1:21: poll.stale_after: must be at most 365000d"),
        (
            "alerts: [{name: a, market: all, above: 1}]",
            "p.yaml:1:28: alerts[0].market: all is no market's id; did you mean markets: all? (rule a)"
        ),
        (
            "alerts: [{name: a, markets: [all], above: 1}]",
            "p.yaml:1:20: alerts[0].markets: all is no market's id; did you mean markets: all? (rule a)"
        ),
        (
            "alerts: [{name: a, market: b, falls: 100%, within: 1h}]",
            "p.yaml:1:38: alerts[0].falls: a price cannot fall by 100 %: use less than 100% (rule a)"
        ),
        ("poll:\n  every: [60s]", "p.yaml:2:3: poll.every: expected a duration such as 60s or 1h30m, found a list"),
        ("poll: 60s", "p.yaml:1:1: poll: expected a mapping, found a text"),
        ("poll: {timeout: 0s}", "p.yaml:1:17: poll.timeout: must be at least 1ms"),
        ("watch: [bitcoin]", "p.yaml:1:1: watch: expected a mapping, found a list"),
        ("watch: {markets: bitcoin}", "p.yaml:1:18: watch.markets: expected a list, found a text: write [bitcoin]"),
        ("watch: {top: 1_000}", "p.yaml:1:14: watch.top: expected a whole number from 0 to 10000, found \"1_000\""),
        ("watch: {top: -1}", "p.yaml:1:14: watch.top: expected a whole number from 0 to 10000, found \"-1\""),
        ("watch: {top: 0}", "p.yaml:1:1: nothing is watched: name watch.markets, or set watch.top"),
        (
            "currency: dollars-and-cents",
            "p.yaml:1:11: currency: a currency must be 2 to 12 letters or digits, such as usd"
        ),
        ("- bitcoin", "p.yaml:1:1: expected keys such as watch: and alerts:, found a list"),
        ("bitcoin", "p.yaml:1:1: expected keys such as watch: and alerts:, found a text"),
        (
            "poll: {retry: {attempts: 11}}",
            "p.yaml:1:26: poll.retry.attempts: expected a whole number from 1 to 10, found \"11\""
        ),
        (
            "poll: {retry: {base: 5s, cap: 1s}}",
            "p.yaml:1:31: poll.retry.cap: the cap of 1s is shorter than the base of 5s"
        ),
        (
            "poll: {confirm_moves_over: 20}",
            "p.yaml:1:28: poll.confirm_moves_over: expected a percentage such as 5%, found \"20\""
        ),
        (
            "history: {max_size: 2GB}",
            "p.yaml:1:21: history.max_size: expected a size such as 512MiB or 2GiB, found \"2GB\""
        ),
        ("history: {keep_samples: 5m}", "p.yaml:1:25: history.keep_samples: must be at least 1h"),
        (
            "history: {keep_candles: always}",
            "p.yaml:1:25: history.keep_candles: expected a duration such as 90d, or forever, found \"always\""
        ),
        ("log: {level: warn}", "p.yaml:1:14: log.level: there is no \"warn\"; did you mean warning?"),
        ("log: {format: xml}", "p.yaml:1:15: log.format: expected one of text, json, found \"xml\""),
        ("log: {file: /var/log/}", "p.yaml:1:13: log.file: is a folder; name a file in it"),
        ("status_file: /x\nlog: {file: /x}", "p.yaml:1:1: log.file and status_file are the same file, /x"),
        (
            "digest: {on: [mon, weekend]}",
            "p.yaml:1:20: digest.on[1]: expected daily, or days such as mon, mon-fri or \"mon,thu\", found \"weekend\""
        ),
        ("digest: {at: 24:00}", "p.yaml:1:14: digest.at: expected a time of day such as \"07:00\", found \"24:00\""),
        (
            "timezone: Europe/Nowhere",
            "p.yaml:1:11: timezone: expected UTC, local, or a time zone such as Europe/Berlin, found \"Europe/Nowhere\""
        ),
        (
            "timezone: GMT+5:17",
            "p.yaml:1:11: timezone: expected UTC, local, or a time zone such as Europe/Berlin, found \"GMT+5:17\""
        ),
        ("builtin_alerts: 1", "p.yaml:1:17: builtin_alerts: expected true or false, found \"1\""),
        // Markets.
        ("watch: {markets: [\"a,b\"]}", "p.yaml:1:19: watch.markets[0]: a market id must not hold a comma"),
        ("watch:\n  markets:\n    -\n", "p.yaml:3:6: watch.markets[0]: a market id must not be empty"),
        (
            "watch: {markets: [{binance: X}]}",
            "p.yaml:1:19: watch.markets[0]: needs an id, such as {id: solana, binance: SOLUSDT}"
        ),
        (
            "watch: {markets: [{id: a, feed: spot}]}",
            "p.yaml:1:33: watch.markets[0].feed: expected one of coingecko, found \"spot\""
        ),
        (
            "watch: {markets: [a, {id: a, feed: coingecko}]}",
            "p.yaml:1:22: watch.markets[1]: a is already in the list, with other settings; keep one of them"
        ),
        // Feeds.
        (
            "feeds: []",
            "p.yaml:1:1: feeds: is empty, so no feed would be polled; leave it out for CoinGecko without a key"
        ),
        (
            "feeds: [{name: a}]",
            "p.yaml:1:9: feeds[0]: needs a provider: one of coingecko, coinpaprika, coinmarketcap, binance, kraken, json"
        ),
        (
            "feeds: [{provider: coingeko}]",
            "p.yaml:1:20: feeds[0].provider: there is no \"coingeko\"; did you mean coingecko?"
        ),
        (
            "feeds: [{provider: coingecko, key: k}]",
            "p.yaml:1:36: feeds[0].key: the plan public takes no key: say plan: demo or plan: pro"
        ),
        (
            "feeds: [{provider: coingecko, plan: demo}]",
            "p.yaml:1:37: feeds[0].plan: the plan demo needs a key: add key_file, key_env or key"
        ),
        (
            "feeds: [{provider: coingecko, plan: free}]",
            "p.yaml:1:37: feeds[0].plan: expected one of public, demo, pro, found \"free\""
        ),
        (
            "feeds: [{provider: coingecko}, {provider: coingecko}]",
            "p.yaml:1:32: feeds[1].name: another feed is called coingecko, too: give this one a name"
        ),
        (
            "feeds: [{provider: coingecko}, {provider: coingecko, name: coingecko}]",
            "p.yaml:1:60: feeds[1].name: another feed is called coingecko, too: give this one a name"
        ),
        (
            "feeds: [{provider: coingecko, url: http://example.org}]",
            "p.yaml:1:36: feeds[0].url: the URL is plain http to another machine: use https, or set allow_http: true beside it"
        ),
        (
            "feeds: [{provider: coingecko, url: http://127.0.0.1.example.org}]",
            "p.yaml:1:36: feeds[0].url: the URL is plain http to another machine: use https, or set allow_http: true beside it"
        ),
        (
            "feeds: [{provider: coingecko, url: ftp://example.org}]",
            "p.yaml:1:36: feeds[0].url: the URL must begin with https:// (or http:// to this machine)"
        ),
        (
            "feeds: [{provider: coingecko, url: example.org}]",
            "p.yaml:1:36: feeds[0].url: the URL must have a form such as https://example.org/path"
        ),
        (
            "feeds: [{provider: coingecko, url: \"https://a:b@example.org\"}]",
            "p.yaml:1:36: feeds[0].url: the URL must not hold a user name or password"
        ),
        ("feeds: [{provider: coingecko, list: /data}]", "p.yaml:1:37: feeds[0].list: belongs to provider: json"),
        // Rules.
        ("alerts: [{market: a, above: 1}]", "p.yaml:1:10: alerts[0]: needs a name"),
        ("alerts: [{name: , market: a, above: 1}]", "p.yaml:1:17: alerts[0].name: must not be empty"),
        (
            "alerts: [{name: a, market: a}]",
            "p.yaml:1:10: alerts[0]: needs a condition: one of \(ConfigurationScene.conditions.joined(separator: ", ")) (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, below: 1}]",
            "p.yaml:1:48: alerts[0].below: a rule has one condition: make above and below a rule each (rule a)"
        ),
        (
            "alerts: [{name: a, above: 1}]",
            "p.yaml:1:10: alerts[0]: needs market: ID, markets: [ID, …] or markets: all (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, markets: all, above: 1}]",
            "p.yaml:1:40: alerts[0].markets: stands beside market: use one of them (rule a)"
        ),
        (
            "alerts: [{name: a, markets: bitcoin, above: 1}]",
            "p.yaml:1:29: alerts[0].markets: expected a list of ids, or all, found a text: write [bitcoin] (rule a)"
        ),
        (
            "alerts: [{name: a, markets: [], above: 1}]",
            "p.yaml:1:20: alerts[0].markets: is empty; use ids, or all (rule a)"
        ),
        (
            "alerts: [{name: a, market: [a], above: 1}]",
            "p.yaml:1:20: alerts[0].market: expected a market id such as bitcoin, found a list (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 60_000}]",
            "p.yaml:1:38: alerts[0].above: expected a price such as 60000 or 0.1, found \"60_000\" (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 0x10}]",
            "p.yaml:1:38: alerts[0].above: expected a price such as 60000 or 0.1, found \"0x10\" (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 0}]",
            "p.yaml:1:38: alerts[0].above: must be above 0, from 1e-18 to 1e18 (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 0.1234567890123456789}]",
            "p.yaml:1:38: alerts[0].above: must not have more than 18 digits (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, clear: 3}]",
            "p.yaml:1:48: alerts[0].clear: 3 lies above the threshold 2; it must not (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, below: 2, clear: 1.5}]",
            "p.yaml:1:48: alerts[0].clear: 1.5 lies below the threshold 2; it must not (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, within: 1h}]",
            "p.yaml:1:49: alerts[0].within: belongs to rises, falls and moves (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, severity: high}]",
            "p.yaml:1:51: alerts[0].severity: expected one of info, warning, critical, found \"high\" (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, notify: phone}]",
            "p.yaml:1:49: alerts[0].notify: expected a list, found a text: write [phone] (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 2, notify: [phone]}]",
            "p.yaml:1:50: alerts[0].notify[0]: expected a name that is defined, found \"phone\" (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, above: 1}, {name: a, market: b, above: 1}]",
            "p.yaml:1:49: alerts[1].name: another rule is called \"a\", too (rule a)"
        ),
        ("alerts: [bitcoin]", "p.yaml:1:10: alerts[0]: expected a mapping, found a text"),
        // Keys.
        ("pol: {every: 1s}", "p.yaml:1:1: pol: unknown key; did you mean poll?"),
        ("poll: {evry: 1s}", "p.yaml:1:8: poll.evry: unknown key; did you mean poll.every?"),
        (
            "poll:\n  every: 1s\n  every: 2s",
            "p.yaml:2:3: no valid YAML: duplicate key every; keep one"
        ),
        ("zzzzzzzzzz: 1", "p.yaml:1:1: zzzzzzzzzz: unknown key"),
        (
            "watch: {markets: [{id: s, holds: {\"bit\\tcoin\": 1}}]}",
            "p.yaml:1:48: watch.markets[0].holds.bit\\u0009coin: a market id must not hold a control character"
        ),
        ("[a, b]: 1", "p.yaml:1:1: a key must be a text"),
        // YAML itself.
        (
            "poll:\n\tevery: 1s",
            "p.yaml:2:1: no valid YAML: found character that cannot start any token (while scanning for the next token, line 2); YAML indents with blanks, not tabs, and a text that begins with @ or ` needs quotes"
        ),
        ("watch: {markets: *here}", "p.yaml:1:18: no valid YAML: found undefined alias"),
        ("poll: {every: 1s}\n---\npoll: {}", "p.yaml:2:1: no valid YAML: a second document begins here"),
        ("a: 1\nb: \u{1}", "p.yaml:2:4: no valid YAML: control characters are not allowed"),
    ])
    func `a bad file is refused with file, line, column, key and cause`(text: String, fault: String) throws {
        #expect(try ConfigurationScene().faults(text) == [fault])
    }

    @Test func `all faults are reported in one go, in the file's order`() throws {
        let text = """
            currency: usd
            alerts:
              - name: one
                market: bitcoin
                abov: 60000
              - {name: two, market: bitcoin, above: 1, for: 5}
            watch:
              top: many
            poll:
              evry: 1s
              timeout: 0s
            """
        #expect(
            try ConfigurationScene().faults(text) == [
                "p.yaml:3:5: alerts[0]: needs a condition: one of "
                    + ConfigurationScene.conditions.joined(separator: ", ") + " (rule one)",
                "p.yaml:5:5: alerts[0].abov: unknown key; did you mean alerts[0].above? (rule one)",
                "p.yaml:6:49: alerts[1].for: expected a duration such as 60s or 1h30m, found \"5\" (rule two)",
                "p.yaml:8:8: watch.top: expected a whole number from 0 to 10000, found \"many\"",
                "p.yaml:10:3: poll.evry: unknown key; did you mean poll.every?",
                "p.yaml:11:12: poll.timeout: must be at least 1ms",
            ])
    }

    @Test func `a fault moves no cursor`() throws {
        let faults = try ConfigurationScene().faults("poll: {every: \"\\e[2J\\r\\n\"}")
        #expect(
            faults == [
                "p.yaml:1:15: poll.every: expected a duration such as 60s or 1h30m, found \"\\u001b[2J\\u000d\\u000a\""
            ])
    }
}
