import Engine
import Foundation
import HTTP
import Markets
import Testing

@testable import Channels
@testable import pricewatch

/// The channel `alertmanager`, and what two daemons share.
@Suite struct AlertmanagerSettingsTests {
    @Test(arguments: [
        (
            "alertmanager: []", "1:14: notify.a.alertmanager: names no address, such as [\"https://am-1.example.com\"]"
        ),
        (
            "alertmanager: {url: x}",
            "1:14: notify.a.alertmanager: expected an address such as https://am-1.example.com, or a list, or a list, "
                + "found a mapping"
        ),
        (
            "alertmanager: [\"http://am-1:9093\"]",
            "1:29: notify.a.alertmanager[0]: the URL is plain http to another machine: use https, or set "
                + "allow_http: true beside it"
        ),
        (
            "alertmanager: \"https://a/api/v2/alerts\"",
            "1:28: notify.a.alertmanager: must be the base URL alone, without /api/v2/alerts and without a query, such "
                + "as https://am-1.example.com or https://example.com/alertmanager"
        ),
        (
            "alertmanager: \"https://a/?x=1\"",
            "1:28: notify.a.alertmanager: must be the base URL alone, without /api/v2/alerts and without a query, such "
                + "as https://am-1.example.com or https://example.com/alertmanager"
        ),
        (
            "alertmanager: [\"https://u:p@a\"]",
            "1:29: notify.a.alertmanager[0]: the URL must not hold a user name or password"
        ),
        ("alertmanager: [\"https://a\", \"https://a/\"]", "1:14: notify.a.alertmanager: names a twice"),
        (
            "alertmanager: \"https://a\", labels: {my-team: x}",
            "1:59: notify.a.labels.my-team: a label's name is letters, digits and _, and no digit first: write my_team"
        ),
        (
            "alertmanager: \"https://a\", labels: {1: x}",
            "1:53: notify.a.labels.1: a label's name is letters, digits and _, and no digit first"
        ),
        (
            "alertmanager: \"https://a\", labels: {severity: x}",
            "1:60: notify.a.labels.severity: is a label of every alert already, by which Alertmanager knows it: take "
                + "another name"
        ),
        ("alertmanager: \"https://a\", labels: [x]", "1:41: notify.a.labels: expected a mapping, found a list"),
        (
            "alertmanager: \"https://a\", shard: true",
            "1:41: notify.a.shard: unknown key; did you mean notify.a.shared?"
        ),
        ("alertmanager: \"https://a\", shared: 2", "1:49: notify.a.shared: expected true or false, found \"2\""),
        (
            "alertmanager: \"https://a\", quiet: \"23:00-07:00\"",
            "1:48: notify.a.quiet: is of messages, and alertmanager gets the state of all alerts at every poll: leave "
                + "it out; Alertmanager's own is mute_time_intervals"
        ),
        (
            "alertmanager: \"https://a\", max_age: 1h",
            "1:50: notify.a.max_age: is of messages, and alertmanager gets the state of all alerts at every poll: "
                + "leave it out"
        ),
        (
            "alertmanager: \"https://a\", send_resolved: false",
            "1:56: notify.a.send_resolved: is of messages, and alertmanager gets the state of all alerts at every "
                + "poll: leave it out; Alertmanager's own is send_resolved of a receiver"
        ),
        (
            "alertmanager: \"https://a\", user: u",
            "1:47: notify.a.user: needs a password: add password_file, password_env or password"
        ),
        (
            "alertmanager: \"https://a\", user: u, password: p, token: t",
            "1:47: notify.a.user: beside a token: only one of them is sent, so leave user or token out"
        ),
        ("exec: [/x], labels: {a: b}", "1:26: notify.a.labels: belongs to alertmanager"),
        ("exec: [/x], shared: true", "1:34: notify.a.shared: belongs to alertmanager"),
    ])
    func `it is refused, with its place and what to write`(keys: String, fault: String) throws {
        #expect(try ConfigurationScene().faults("notify: {a: {\(keys)}}") == ["p.yaml:" + fault])
    }

    @Test func `a digest is no state`() throws {
        let text = "notify: {a: {alertmanager: \"https://a\"}}\ndigest: {notify: [a]}"
        #expect(
            try ConfigurationScene().faults(text) == [
                "p.yaml:2:10: digest.notify: a is an alertmanager, which takes alerts and no digest: leave it out"
            ])
    }

    @Test func `what it says is what is used`() throws {
        let channel = try #require(
            try configuration(
                "notify: {c: {alertmanager: [\"http://127.0.0.1:9093/\", \"http://am-2/x/\"], allow_http: true, "
                    + "shared: true, labels: {team: no, _a1: \"b c\"}, user: u, password: p}}"
            ).notify.first)
        #expect(channel.routing.takes == .states(isShared: true))
        #expect(channel.address.kind == "alertmanager" && channel.address.host == "127.0.0.1:9093, am-2")
        guard case .alertmanager(let cluster) = channel.address else {
            Issue.record("\(channel.address)")
            return
        }
        #expect(cluster.urls.map(\.revealed) == ["http://127.0.0.1:9093", "http://am-2/x"])
        #expect(cluster.labels == ["team": "no", "_a1": "b c"])
        #expect(cluster.credentials == .user("u", password: Secret("p")))
        let one = try configuration("notify: {c: {alertmanager: https://a, token: t}}").notify.first
        #expect(one?.routing.takes == .states(isShared: false))
    }

    @Test(arguments: ["0", "1.1", "-0.5"])
    func `a share is above 0 and at most 1`(share: String) throws {
        #expect(
            try ConfigurationScene().faults("feeds: [{provider: coingecko, quota_share: \(share)}]") == [
                "p.yaml:1:44: feeds[0].quota_share: must be above 0 and at most 1, such as 0.5"
            ])
    }

    @Test func `a share is a number`() throws {
        #expect(
            try ConfigurationScene().faults("feeds: [{provider: coingecko, quota_share: half}]") == [
                "p.yaml:1:44: feeds[0].quota_share: expected a share such as 0.5, found \"half\""
            ])
    }

    @Test func `the share is what the interval is lengthened by, and what check counts with`() throws {
        let text = "feeds: [{provider: coingecko, plan: demo, key: k, quota_share: 0.5}]\npoll: {every: 5m}"
        let reading = try ConfigurationScene().reading(text)
        #expect(reading.configuration.sources.flatMap(\.members).map(\.quota) == [5000])
        let lines = CheckFindings(reading, online: nil, now: Date()).lines
        #expect(lines.contains { $0.hasSuffix(", 8928 a month (quota 5000, 0.5 of 10000)") })
        #expect(lines.contains { $0.contains("8928 requests a month are more than the quota of 5000") })
        let none = try ConfigurationScene().reading("feeds: [{provider: coingecko, quota_share: 0.5}]")
        #expect(
            none.warnings.map(\.description).first?.hasSuffix(
                "feeds[0].quota_share: has no effect: there is no quota to share (quota_month)") == true)
    }
}

// MARK: Check

extension AlertmanagerSettingsTests {
    private func warnings(_ notify: String, alerts: String = "[]", more: String = "") throws -> [String] {
        let text = "notify: \(notify)\nalerts: \(alerts)\n\(more)"
        return CheckFindings(try ConfigurationScene().reading(text), online: nil, now: Date()).lines
            .filter { $0.hasPrefix("warning: ") }.map { String($0.dropFirst(9)) }
    }

    private static let shared = "cluster: {alertmanager: https://a, shared: true}"
    private static let twice =
        "would be notified twice, by each daemon, since another posts the same alerts (shared: true); "

    @Test func `channels that two daemons would notify twice`() throws {
        let phone = "phone: {ntfy: \"https://ntfy.sh/x\"}"
        let hint = "let the Alertmanagers notify it, or configure it in one of the two alone"
        #expect(try warnings("{\(Self.shared), \(phone)}") == ["phone: \(Self.twice)\(hint)"])
        #expect(
            try warnings("{\(Self.shared), other: {alertmanager: https://b}}") == [
                "other: \(Self.twice)say shared: true there, too"
            ])
        #expect(try warnings("{cluster: {alertmanager: https://a}, \(phone)}") == [])
        let elsewhere = "[{name: r, market: bitcoin, above: 1, notify: [cluster]}]"
        #expect(try warnings("{\(Self.shared), \(phone)}", alerts: elsewhere, more: "builtin_alerts: false") == [])
        #expect(
            try warnings(
                "{\(Self.shared), \(phone)}", alerts: elsewhere,
                more: "builtin_alerts: false\ndigest: {notify: [phone]}") == ["phone: \(Self.twice)\(hint)"])
    }

    @Test func `what check prints of it`() throws {
        let reading = try ConfigurationScene().reading("notify: {\(Self.shared)}")
        #expect(
            CheckFindings(reading, online: nil, now: Date()).lines.contains(
                "  cluster: alertmanager, a, the state of all alerts at every poll, shared with another pricewatch"))
    }
}
