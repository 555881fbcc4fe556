import Testing

@testable import pricewatch

/// What is wrong with a channel, a JSON feed or a window.
@Suite struct ChannelFaultTests {
    @Test(arguments: [
        ("notify: {a: {}}", "1:10: notify.a: needs one of webhook, slack, discord, telegram, ntfy, alertmanager, exec"),
        (
            "notify: {a: {ntfy: \"https://a.b/c\", exec: [/x]}}",
            "1:37: notify.a.exec: a channel is one thing: ntfy and exec need a name each"
        ),
        (
            "notify: {a: {webhook: \"http://a.b/c\"}}",
            "1:23: notify.a.webhook: the URL is plain http to another machine: use https, or set allow_http: true beside it"
        ),
        (
            "notify: {a: {telegram: -100}}",
            "1:24: notify.a.telegram: needs the bot's token: add token_file, token_env or token"
        ),
        ("notify: {a: {exec: [/x], token: t}}", "1:33: notify.a.token: belongs to telegram, ntfy and alertmanager"),
        ("notify: {a: {exec: /x}}", "1:20: notify.a.exec: expected a list of texts, found a text: write [/x]"),
        ("notify: {a: {exec: []}}", "1:14: notify.a.exec: names no program, such as [/usr/local/bin/on-alert]"),
        (
            "notify: {a: {exec: [/x], quiet: 23:00}}",
            "1:33: notify.a.quiet: expected times such as \"23:00-07:00\" or \"sat-sun 00:00-24:00\", found \"23:00\""
        ),
        (
            "notify:\n  a:\n    exec: [/x]\n    quiet:\n      - 23:00-07:00\n      - sat-son 00:00-10:00",
            "6:9: notify.a.quiet[1]: expected times such as \"23:00-07:00\" or \"sat-sun 00:00-24:00\", "
                + "found \"sat-son 00:00-10:00\""
        ),
        (
            "notify: {a: {exec: [/x], quiet: {at: 1}}}",
            "1:26: notify.a.quiet: expected times such as \"23:00-07:00\" or \"sat-sun 00:00-24:00\", or a list, "
                + "found a mapping"
        ),
        (
            "notify: {a: {exec: [/x], quiet: 00:00-24:00}}",
            "1:33: notify.a.quiet: covers the whole week, so that nothing below critical would ever be sent: leave some "
                + "time out, or leave the channel out of the rules' notify"
        ),
        (
            "notify: {a: {exec: [/x]}}\nalerts: [{name: r, market: m, above: 1, notify: [b]}]",
            "2:50: alerts[0].notify[0]: there is no \"b\"; did you mean a? (rule r)"
        ),
        (
            "feeds: [{provider: json, currency: usd, fields: {price: /p}}]",
            "1:9: feeds[0]: needs a url, such as \"https://prices.example.com/{id}\""
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", currency: usd}]",
            "1:9: feeds[0]: needs fields: {price: …}, a JSON Pointer such as /last"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", fields: {id: /i}, currency: usd}]",
            "1:49: feeds[0].fields: needs price, a JSON Pointer such as /last"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", fields: {price: p}, currency: usd}]",
            "1:65: feeds[0].fields.price: expected a JSON Pointer such as /data/last, found \"p\""
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}{ids}\", fields: {price: /p}, currency: usd}]",
            "1:31: feeds[0].url: holds {id} and {ids}: one request a market, or one for all, not both"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}?{key}\", fields: {price: /p}, currency: usd}]",
            "1:31: feeds[0].url: holds {key}, but no key is given: add key_file, key_env or key"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", key: k, fields: {price: /p}, currency: usd}]",
            "1:54: feeds[0].key: is used nowhere: put {key} into url or headers, or leave it out"
        ),
        (
            "feeds: [{provider: json, plan: demo, url: \"https://a/{id}\", fields: {price: /p}, currency: usd}]",
            "1:32: feeds[0].plan: json has no plans; leave it out"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", fields: {price: /p}}]",
            "1:9: feeds[0]: needs currency, what its prices are quoted in, such as currency: usd (or {currency} in url)"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", currency: , fields: {price: /p}}]",
            "1:9: feeds[0]: needs currency, what its prices are quoted in, such as currency: usd (or {currency} in url)"
        ),
        (
            "feeds: [{provider: json, url: \"https://a/{id}\", fields: {price: /p}, currency: dollars-and-cents}]",
            "1:80: feeds[0].currency: a currency must be 2 to 12 letters or digits, such as usd"
        ),
        ("feeds: [{provider: coingecko, currency: usd}]", "1:41: feeds[0].currency: belongs to provider: json"),
        (
            "currency: dollars-and-cents\nfeeds: [{provider: json, url: \"https://a/{id}\", fields: {price: /p}, "
                + "currency: eur}]",
            "1:11: currency: a currency must be 2 to 12 letters or digits, such as usd"
        ),
        ("feeds: [{provider: kraken, key: k}]", "1:33: feeds[0].key: kraken takes no key; leave it out"),
        (
            "feeds: [{provider: coinpaprika, plan: demo, key: k}]",
            "1:39: feeds[0].plan: coinpaprika has no plan demo: use public or pro"
        ),
        (
            "history: {keep_samples: 2d, keep_candles: 20d}\nalerts: [{name: a, market: a, new_high: 30d}]",
            "2:41: alerts[0].new_high: the window of 30d is longer than what is kept; see history.keep_samples (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, falls: 5%}]",
            "1:38: alerts[0].falls: needs within, the time it may take, such as within: 1h (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, falls: 0.125%, within: 1h}]",
            "1:38: alerts[0].falls: must not have more than two decimals (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, outside: [2, 1]}]",
            "1:31: alerts[0].outside: the lower bound comes first: [low, high] (rule a)"
        ),
        (
            "alerts: [{name: a, market: a, outside: [2]}]",
            "1:31: alerts[0].outside: expected a list of two, found 1 (rule a)"
        ),
        ("heartbeat: {every: 1m}", "1:1: heartbeat: needs a url"),
    ])
    func `it is reported, too`(text: String, fault: String) throws {
        let faults = try ConfigurationScene().faults(text)
        #expect(faults == ["p.yaml:" + fault])
    }
}
