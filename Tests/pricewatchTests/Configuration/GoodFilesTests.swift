import Engine
import Foundation
import Markets
import Testing

@testable import pricewatch

@Suite struct GoodFilesTests {
    @Test func `ids are taken as written, whatever type YAML sees in them`() throws {
        let text = """
            watch:
              markets: [no, 0x, 1e5, null, ~, 007, 1_000, 0.10, 2026-01-01, true, "a b", 'x', bitCNY, "boringdao-[old]",
                        {id: yes, binance: 1E5}]
            """
        let markets = try configuration(text).watch.markets
        #expect(
            markets.map(\.id.text) == [
                "no", "0x", "1e5", "null", "~", "007", "1_000", "0.10", "2026-01-01", "true", "a b", "x", "bitCNY",
                "boringdao-[old]", "yes",
            ])
        #expect(markets.last?.ids == ["binance": "1E5"])
    }

    @Test func `a market that only a rule names is watched after the others`() throws {
        let text = """
            watch: {markets: [ethereum]}
            alerts:
              - {name: a, market: solana, above: 1}
              - {name: b, markets: [bitcoin, ethereum, solana], below: 1}
              - {name: c, markets: all, below: 1}
            """
        #expect(try configuration(text).namedMarkets.map(\.id.text) == ["ethereum", "solana", "bitcoin"])
    }

    @Test func `a rule says everything it can`() throws {
        let text = """
            alerts:
              - name: no
                market: bitcoin
                below: 0.1
                clear: 0.10000000000000001
                for: 1h30m
                severity: critical
                note: "sell: the boat"
                notify: []
                enabled: false
            """
        let rule = try #require(try configuration(text).alertRules.first)
        #expect(rule.name == "no")
        #expect(rule.scope == .markets([try MarketID("bitcoin")]))
        #expect(rule.condition == .below(try #require(Price(significand: 1, exponent: -1))))
        #expect(rule.clear == Price(parsing: "0.10000000000000001"))
        #expect(rule.holdFor == .minutes(90))
        #expect(rule.severity == .critical)
        #expect(rule.note == "sell: the boat")
        #expect(rule.notify == [])
        #expect(!rule.enabled)
    }

    @Test func `a rule that says little has defaults`() throws {
        let rule = try #require(try configuration("alerts: [{name: a, markets: all, above: 1}]").alertRules.first)
        #expect(rule == AlertRule(name: "a", scope: .all, condition: .above(try #require(Price(parsing: "1")))))
    }

    @Test(arguments: [
        #"feeds: [{provider: json, url: "https://a/{id}", fields: {price: /p}, currency: usd}]"#,
        #"feeds: [{provider: json, url: "https://a/{id}", fields: {price: /p}, currency: USD}]"#,
        "currency: EUR\n" + #"feeds: [{provider: json, url: "https://a/{id}", fields: {price: /p}, currency: eur}]"#,
        "currency: eur\n" + #"feeds: [{provider: json, url: "https://a/{ids}?in={currency}", fields: {price: /p}}]"#,
        #"feeds: [{provider: json, url: "https://a/{ids}/{currency}", fields: {price: /p}, currency: usd}]"#,
    ])
    func `a json feed says what its prices are quoted in`(text: String) throws {
        #expect(try ConfigurationScene().faults(text + "\nwatch: {markets: [a]}") == [])
    }

    @Test func `paths are absolute, in the home, or beside the configuration`() throws {
        let scene = try ConfigurationScene()
        let text = "history: {database: ~/h.db}\nlog: {file: sub/p.log}\nstatus_file: /run/s.json"
        let read = try scene.reading(text).configuration
        #expect(read.history.database == scene.folder + "/home/h.db")
        #expect(read.log.file == scene.folder + "/etc/sub/p.log")
        #expect(read.reports.status == "/run/s.json")
    }

    @Test func `null turns off what can be turned off`() throws {
        let read = try configuration(
            "history: {backfill: null}\ndigest: null\npoll: {confirm_moves_over: null}\nlog: {file: null}")
        #expect(read.history.backfill == nil && read.digest == nil && read.poll.confirmMovesOver == nil)
        #expect(read.log.file == nil)
    }

    @Test(arguments: [
        ("", "daily"), ("on: daily", "daily"), ("on: mon", "mon"), ("on: [thu, mon]", "mon,thu"),
        ("on: [sat-mon, Wed]", "mon,wed,sat,sun"), ("on: null", "daily"), ("on: []", "daily"),
    ])
    func `a digest has its days`(text: String, days: String) throws {
        #expect(try configuration("digest: {\(text)}").digest?.days.description == days)
    }

    @Test(arguments: [
        ("512MiB", Int64(512 << 20)), ("2GiB", 2 << 30), ("1024KiB", 1 << 20), ("\"3GiB\"", 3 << 30),
    ])
    func `sizes are binary`(text: String, bytes: Int64) throws {
        #expect(try configuration("history: {max_size: \(text)}").history.retention.maxSize == bytes)
    }

    @Test(arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"])
    func `time zones go by their names`(name: String) throws {
        #expect(try configuration("timezone: \(name)").zone.name == name)
    }

    @Test func `aliases and merge keys are followed`() throws {
        let text = """
            alerts:
              - &base {name: a, market: bitcoin, above: 1, for: 2m, severity: info}
              - {<<: *base, name: b, for: 3m}
            """
        let rules = try configuration(text + "\nbuiltin_alerts: false").alertRules
        #expect(rules.map(\.name) == ["a", "b"])
        #expect(rules.map(\.holdFor) == [.minutes(2), .minutes(3)])
        #expect(rules.map(\.severity) == [.info, .info])
    }

    @Test func `a byte order mark and CRLF do no harm`() throws {
        #expect(try configuration("\u{FEFF}poll:\r\n  every: 5s\r\n").poll.every == .seconds(5))
    }

    @Test func `the same market twice is a warning`() throws {
        let reading = try ConfigurationScene().reading("watch: {markets: [bitcoin, bitcoin]}")
        #expect(reading.configuration.watch.markets.count == 1)
        #expect(reading.warnings.map(\.message) == ["bitcoin is already in the list"])
        #expect(reading.warnings.map(\.keyPath) == ["watch.markets[1]"])
    }

    @Test(arguments: ["http://localhost:8080/api", "http://127.0.0.1:1/x", "http://[::1]:8080", "https://example.org"])
    func `plain http is for this machine`(url: String) throws {
        #expect(try configuration("feeds: [{provider: coingecko, url: \"\(url)\"}]").feeds[0].url == url)
    }

    @Test func `allow_http opens it to others`() throws {
        let text = "feeds: [{provider: coingecko, url: \"http://proxy.example.org\", allow_http: true}]"
        #expect(try configuration(text).feeds[0].url == "http://proxy.example.org")
    }

    @Test(arguments: [
        ("https://prices.example.com/", "https://prices.example.com/m/bitcoin"),
        ("http://192.168.1.5:8486/prices//", "http://192.168.1.5:8486/prices/m/bitcoin"),
        ("http://[::1]:8486", "http://[::1]:8486/m/bitcoin"),
    ])
    func `the page's URL may be plain http`(url: String, link: String) throws {
        #expect(try configuration("web: {url: \"\(url)\"}").pageURL?.market(try MarketID("bitcoin")) == link)
        #expect(try configuration("web: {url: null}").pageURL == nil)
        #expect(try configuration("web: null").pageURL == nil)
    }

    @Test func `one provider may stand twice under two names`() throws {
        let text = "feeds: [{provider: coingecko, plan: demo, key: k}, {provider: coingecko, name: keyless}]"
        #expect(try configuration(text).feeds.map(\.name) == ["coingecko", "keyless"])
    }

    @Test func `a feed calls a market by its own mapping and never guesses`() throws {
        var read = try configuration("watch: {markets: [bitcoin, {id: solana, binance: SOLUSDT, feed: coingecko}]}")
        let coingecko = read.feeds[0]
        let binance = Configuration.Feed(name: "spot", provider: .binance)
        #expect(read.watch.markets.map { read.name(of: $0, at: coingecko) } == ["bitcoin", "solana"])
        #expect(read.watch.markets.map { read.name(of: $0, at: binance) } == [nil, nil])
        let paprika = Configuration.Feed(name: "paprika", provider: .coinPaprika)
        #expect(read.watch.markets.map { read.name(of: $0, at: paprika) } == ["btc-bitcoin", nil])
        let kraken = Configuration.Feed(name: "kraken", provider: .kraken)
        #expect(read.watch.markets.map { read.name(of: $0, at: kraken) } == ["XBTUSD", nil])
        read.currency = try Currency("jpy")
        #expect(read.watch.markets.map { read.name(of: $0, at: kraken) } == [nil, nil])
    }
}
