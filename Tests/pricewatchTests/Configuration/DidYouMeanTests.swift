import Testing

@testable import pricewatch

@Suite struct DidYouMeanTests {
    @Test(arguments: [
        ("interval: 1m", "interval: unknown key; did you mean poll.every?"),
        ("scrape_interval: 1m", "scrape_interval: unknown key; did you mean poll.every?"),
        ("global: {scrape_interval: 1m}", "global: unknown key"),
        ("poll: {interval: 1m}", "poll.interval: unknown key; did you mean poll.every?"),
        (
            "feeds: [{provider: coingecko, scrape_interval: 1m}]",
            "feeds[0].scrape_interval: unknown key; did you mean feeds[0].every?"
        ),
        ("repeat_interval: 4h", "repeat_interval: unknown key; did you mean alerts[].repeat?"),
        (
            "alerts: [{name: a, market: a, above: 1, repeat_interval: 4h}]",
            "alerts[0].repeat_interval: unknown key; did you mean alerts[0].repeat? (rule a)"
        ),
        ("receiver: phone", "receiver: unknown key; did you mean notify?"),
        (
            "alerts: [{name: a, market: a, above: 1, receiver: x}]",
            "alerts[0].receiver: unknown key; did you mean alerts[0].notify? (rule a)"
        ),
        ("retention: 30d", "retention: unknown key; did you mean history.keep_samples?"),
        ("history: {retention: 30d}", "history.retention: unknown key; did you mean history.keep_samples?"),
        ("markets: [bitcoin]", "markets: unknown key; did you mean watch.markets?"),
        ("database: /x", "database: unknown key; did you mean history.database?"),
        ("log_file: /x", "log_file: unknown key; did you mean log.file?"),
        ("curency_env: X", "curency_env: unknown key; did you mean currency_env?"),
        ("Poll: {}", "Poll: unknown key; did you mean poll?"),
        ("watch: {makrets: [a]}", "watch.makrets: unknown key; did you mean watch.markets?"),
    ])
    func `an unknown key is met with what was probably meant`(text: String, fault: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults.count == 1)
        #expect(faults.first?.hasSuffix(": " + fault) == true, "\(faults)")
    }
}
