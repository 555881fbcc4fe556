import Testing

@testable import pricewatch

/// What a fault says beside what is wrong: where, of which rule, and what to write.
@Suite struct HintTests {
    @Test(
        "a number with a comma is called that, and written without",
        arguments: [
            ("\"60,000\"", "60000"), ("\"0,99\"", "0.99"), ("\"60.000,5\"", "60000.5"), ("\"60,000.5\"", "60000.5"),
            ("\"1,000,000\"", "1000000"), ("\"1.000.000,25\"", "1000000.25"), ("\"0,125\"", "0.125"),
            ("\"1,5\"", "1.5"),
        ])
    func comma(value: String, number: String) throws {
        #expect(
            try ConfigurationScene().faults("alerts: [{name: peg, market: a, below: \(value)}]") == [
                "p.yaml:1:40: alerts[0].below: expected a price such as 60000 or 0.1, found \(value): a number with a "
                    + "comma; write \(number) (rule peg)"
            ])
    }

    @Test(
        "where YAML splits it at the comma, too",
        arguments: [
            ("below: 60,000", 1, "000: unknown key: below: 60,000 is a number with a comma; write 60000"),
            ("below: 0,99", 2, "99: unknown key: below: 0,99 is a number with a comma; write 0.99"),
            ("below: 60.000,5", 1, "5: unknown key: below: 60.000,5 is a number with a comma; write 60000.5"),
            (
                "outside: [0,99, 1,01]", 1,
                "outside: expected a list of two, found 4: decimals take a point, such as [0.99, 1.01]"
            ),
            ("below: 60, fro: 1m", 1, "fro: unknown key; did you mean alerts[0].for?"),
            ("below: 60, 000: 1m", 1, "000: unknown key"),
        ])
    func splitComma(keys: String, count: Int, fault: String) throws {
        let faults = try ConfigurationScene().faults("alerts: [{name: low, market: a, \(keys)}]")
        #expect(faults.count == count)
        #expect(faults.last?.hasSuffix(": alerts[0].\(fault) (rule low)") == true, "\(faults)")
    }

    @Test(
        "percentages and whole numbers with a comma",
        arguments: [
            (
                "alerts: [{name: a, market: b, falls: \"5,5%\", within: 1h}]",
                "a number with a comma; write 5.5% (rule a)"
            ),
            ("watch: {top: \"1,000\"}", "found \"1,000\": a number with a comma; write 1000"),
            ("poll: {every: \"1,5m\"}", "found \"1,5m\""),
            ("alerts: [{name: a, market: b, above: \"1,,5\"}]", "found \"1,,5\" (rule a)"),
        ])
    func others(text: String, end: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1 && faults[0].hasSuffix(end), "\(faults)")
    }

    @Test("what a file or a variable holds may be secret, and is not written out")
    func secret() throws {
        let scene = try ConfigurationScene()
        scene.host.variables = ["LEVEL": "71,000", "CHANNELS": "hush"]
        let faults = scene.faults("alerts: [{name: a, market: b, below_env: LEVEL, notify_env: CHANNELS}]")
        #expect(faults.count == 2 && !faults.joined().contains("71") && !faults.joined().contains("hush"), "\(faults)")
    }

    @Test(
        "a text where a list is expected",
        arguments: [
            (
                "notify: {chat: {exec: [/x]}}\nalerts: [{name: a, market: b, above: 1, notify: chat}]",
                "write [chat] (rule a)"
            ),
            ("alerts: [{name: a, markets: bitcoin, above: 1}]", "write [bitcoin] (rule a)"),
            ("watch: {markets: \"bitcoin, ethereum\"}", "write [bitcoin, ethereum]"),
            ("notify: {chat: {exec: [/x]}}\ndigest: {notify: chat}", "write [chat]"),
            ("notify: {\"a: b\": {exec: [/x]}}\ndigest: {notify: \"a: b\"}", "write [\"a: b\"]"),
        ])
    func list(text: String, hint: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1 && faults[0].hasSuffix(", found a text: \(hint)"), "\(faults)")
    }

    @Test(
        "a program that is not in a list; its arguments are not written out: they may hold a key",
        arguments: [
            ("curl -u hush", "[PROGRAM, ARGUMENT, …]"), ("/usr/local/bin/on-alert.sh", "[/usr/local/bin/on-alert.sh]"),
        ])
    func program(text: String, hint: String) throws {
        let faults = try ConfigurationScene().faults("notify: {a: {exec: \(text)}}")
        #expect(faults == ["p.yaml:1:20: notify.a.exec: expected a list of texts, found a text: write \(hint)"])
    }

    @Test(
        "a number that may have its thousands behind a point is asked about",
        arguments: [
            ("60.000", "60.000 is 60; if 60000 is meant, write 60000"), ("1.000", "1.000 is 1; if 1000 is meant"),
            ("61.500", "61.500 is 61.5; if 61500 is meant"), ("0.990", nil), ("1.010", nil), ("12.345", nil),
            ("60.00", nil), ("60000", nil), ("60.0000", nil), ("1234.500", nil),
        ])
    func thousands(number: String, warning: String?) throws {
        for text in [
            "alerts: [{name: a, market: b, below: \(number)}]",
            "watch: {markets: [{id: s, holds: {bitcoin: \(number)}}]}",
            "watch: {markets: [{id: s, holds: {bitcoin: 1}, cost: \(number)}]}",
        ] {
            let warnings = try ConfigurationScene().reading(text).warnings.map(\.message)
            #expect(warnings.count == (warning == nil ? 0 : 1), "\(warnings)")
            #expect(warnings.first?.hasPrefix(warning ?? "") ?? true, "\(warnings)")
        }
    }

    @Test(
        "what is often written in place of a zone, a day or a channel",
        arguments: [
            ("timezone: Berlin", "there is no time zone \"Berlin\"; did you mean Europe/Berlin?"),
            ("timezone: europe/berlin", "there is no time zone \"europe/berlin\"; did you mean Europe/Berlin?"),
            ("timezone: New York", "there is no time zone \"New York\"; did you mean America/New_York?"),
            ("digest: {on: monday}", "digest.on: there is no \"monday\"; did you mean mon?"),
            ("digest: {on: [Wednesday]}", "digest.on[0]: there is no \"Wednesday\"; did you mean wed?"),
        ])
    func otherWords(text: String, end: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1 && faults[0].hasSuffix(end), "\(faults)")
    }

    @Test("e-mail is sent by a program")
    func mail() throws {
        let faults = try ConfigurationScene().faults("notify: {mail: {email: anna@example.com}}")
        #expect(faults.count == 2 && faults[0].hasSuffix("exec (e-mail: exec with a mail program, see the cookbook)"))
        #expect(faults.last?.hasSuffix("email: unknown key; did you mean notify.mail.exec?") == true, "\(faults)")
    }

    @Test("each fault of a rule names it, also where several are wrong; nothing else does")
    func names() throws {
        let text = """
            alerts:
              - {name: fast-drop, market: a, falls: 5%, within: soon}
              - {market: a, above: 1}
              - {name: "\(String(repeating: "x", count: 50))\\e", market: a, above: -1}
            log: {level: loud}
            """
        #expect(
            try ConfigurationScene().faults(text) == [
                "p.yaml:2:53: alerts[0].within: expected a duration such as 60s or 1h30m, found \"soon\" (rule fast-drop)",
                "p.yaml:3:5: alerts[1]: needs a name",
                "p.yaml:4:12: alerts[2].name: must not hold a control character",
                "p.yaml:4:86: alerts[2].above: must be above 0, from 1e-18 to 1e18",
                "p.yaml:5:14: log.level: expected one of debug, info, warning, error, found \"loud\"",
            ])
    }

    @Test(
        "ntfy without a topic",
        arguments: ["https://ntfy.sh/", "https://ntfy.sh", "https://ntfy.sh//", "https://ntfy.sh?topic=x"])
    func topic(url: String) throws {
        #expect(
            try ConfigurationScene().faults("notify: {phone: {ntfy: \"\(url)\"}}") == [
                "p.yaml:1:24: notify.phone.ntfy: names no topic: write the topic behind the host, such as "
                    + "https://ntfy.sh/my-topic"
            ])
    }

    @Test("a feed whose URL names no market may have one")
    func wholeDocument() throws {
        func text(_ markets: String, _ more: String = "", url: String = "https://a.b/spot") -> String {
            "watch: {markets: \(markets)}\nfeeds:\n  - {provider: coingecko}\n  - {name: gold, provider: json, "
                + "url: \"\(url)\", currency: usd, fields: {price: /p}\(more)}"
        }
        let one = "[bitcoin, {id: xau, feed: gold}]"
        let two = "[{id: xau, feed: gold}, {id: xag, feed: gold}]"
        let fault =
            "p.yaml:4:39: feeds[1].url: does not say which of its 2 markets is asked for: put {id} (one request a "
            + "market) or {ids} into it, or say where the document lists them: list: /data and fields: {id: /symbol} "
            + "(list: \"\" if the document is keyed by id)"
        let scene = try ConfigurationScene()
        #expect(scene.faults(text(one)) == [])
        #expect(scene.faults(text(two)) == [fault])
        #expect(scene.faults(text("[{id: xau, feed: gold}]") + "\nalerts: [{name: a, market: xau, above: 1}]") == [])
        #expect(scene.faults(text(two, ", list: /data")) == [])
        #expect(scene.faults(text(two, ", list: \"\"")) == [])
        #expect(scene.faults(text(two, url: "https://a.b/{id}")) == [])
        #expect(scene.faults(text(two, url: "https://a.b/{ids}")) == [])
        #expect(scene.faults(text(two).replacing("{price: /p}", with: "{price: /p, id: /s}")) == [])
    }

    private func warnings(_ text: String) throws -> [String] {
        try CheckFindings(ConfigurationScene().reading(text), online: nil, now: ChartScene.moment(0)).lines
            .filter { $0.hasPrefix("warning: ") && !$0.contains("no channel") && !$0.contains("quota") }
    }

    @Test(
        "check warns of a symbol in the place of an id",
        arguments: [
            ("btc", "bitcoin"), ("BTC", "bitcoin"), ("eth", "ethereum"), ("ton", "the-open-network"),
            ("xbt", "bitcoin"), ("dash", nil), ("neo", nil), ("no-such-coin", nil),
        ])
    func symbol(id: String, meant: String?) throws {
        let expected = meant.map {
            [
                "warning: \(id): is a symbol, where coingecko takes an id; did you mean \($0)? "
                    + "(all with this symbol: pricewatch find \(id))"
            ]
        }
        #expect(try warnings("watch: {markets: [\(id)]}") == expected ?? [])
        #expect(try warnings("watch: {top: 3}\nalerts: [{name: a, market: \(id), above: 1}]") == expected ?? [])
    }

    @Test("and of an id in another case; also where a portfolio holds it")
    func otherCase() throws {
        let warning = "warning: Bitcoin: ids are in lower case at coingecko; did you mean bitcoin?"
        #expect(try warnings("watch: {markets: [Bitcoin]}") == [warning])
        #expect(try warnings("watch: {markets: [{id: savings, holds: {Bitcoin: 1}}]}") == [warning])
        #expect(
            try warnings("watch: {markets: [{id: savings, holds: {BTC: 1}}]}").first?.contains("BTC: is a symbol")
                == true)
    }

    @Test("where a feed has no id for it, the hint is there, too; an id that the owner gave is his word")
    func mappedSymbol() throws {
        let paprika = "feeds: [{provider: coinpaprika}]\nwatch: {markets: "
        let seen = try warnings(paprika + "[btc]}")
        #expect(seen.count == 1 && seen[0].contains("; did you mean bitcoin?"), "\(seen)")
        #expect(try warnings(paprika + "[{id: btc, coinpaprika: btc-bitcoin}]}") == [])
        #expect(try warnings("watch: {markets: [{id: btc, coingecko: bitcoin}]}") == [])
    }
}
