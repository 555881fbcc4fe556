import Engine
import Foundation
import Markets

extension StatusReport {
    /// The metrics file, in Prometheus's text format, version 0.0.4.
    ///
    /// - Parameters:
    ///   - polls: since the daemon's start.
    ///   - expiresAt: When the next status is due, also if the daemon has stopped since.
    func metrics(polls: [PollOutcome: Int], expiresAt: Date?) -> String {
        // A stopped daemon exports no market metrics.
        let markets = state == .stopped ? [] : markets
        let firing = state == .stopped ? [] : firing
        var text = MetricsText()
        text.add(
            "price", "The newest price of a market whose quote is fresh.",
            markets.filter { $0.state == .fresh }.map {
                (["market": $0.market.text, "currency": $0.currency.code], $0.price?.description)
            })
        text.add(
            "change_24h_ratio", "The change over 24 hours; 0.01 is one percent.",
            markets.map { (["market": $0.market.text], $0.change?.ratioText) })
        text.add(
            "quote_timestamp_seconds", "When the price was quoted.",
            markets.map { (["market": $0.market.text], $0.quotedAt?.epochText) })
        text.add(
            "markets", "How many watched markets are in each state.",
            MarketBoard.Entry.State.allCases.map { state in
                (["state": state.rawValue], String(markets.count { $0.state == state }))
            })
        text.add(
            "alert_firing", "1 for each alert that fires.",
            firing.map { (["rule": $0.rule, "market": $0.market.text, "severity": $0.severity.rawValue], "1") })
        text.add(
            "state", "1 for the state that the daemon is in.",
            State.allCases.map { (["state": $0.rawValue], $0 == state ? "1" : "0") })
        text.add(
            "polls_total", "Polls since the daemon's start, by outcome.",
            PollOutcome.allCases.map { (["outcome": $0.rawValue], String(polls[$0] ?? 0)) }, as: "counter")
        addFeeds(to: &text)
        text.add(
            "last_success_timestamp_seconds", "When the newest poll began that brought prices.",
            [([:], lastUsablePoll?.epochText)])
        text.add(
            "expires_timestamp_seconds", "When these numbers are no longer worth anything.",
            [([:], expiresAt?.epochText)])
        text.add("outbox_messages", "Messages that wait to be sent.", [([:], String(outbox.queued))])
        addExports(to: &text)
        text.add("database_bytes", "What the history takes on disk.", [([:], String(history.bytes))])
        text.add("info", "The version that runs.", [(["version": version], "1")])
        return text.text
    }

    private func addFeeds(to text: inout MetricsText) {
        text.add(
            "requests_total", "Requests sent in the UTC month.",
            feeds.map { (["feed": $0.name], String($0.requestsThisMonth)) }, as: "counter")
        text.add(
            "quota_requests", "Requests that may be sent in the UTC month.",
            feeds.map { (["feed": $0.name], $0.quota.map(String.init)) })
        // The feeds of a stopped daemon are in no state.
        text.add(
            "feed_state", "1 for the state that a feed is in.",
            (state == .stopped ? [] : feeds).map { (["feed": $0.name, "state": $0.state.rawValue], "1") })
    }

    private func addExports(to text: inout MetricsText) {
        text.add(
            "export_lag_seconds", "The age of the oldest sample that is to be sent.",
            exports.map { (["export": $0.name], String($0.lag.inMilliseconds / 1000)) })
        text.add(
            "export_pending_samples", "Samples that are to be sent.",
            exports.map { (["export": $0.name], String($0.pending)) })
        text.add(
            "export_sent_total", "Samples that were sent, each once.",
            exports.map { (["export": $0.name], String($0.sent)) }, as: "counter")
        text.add(
            "export_refused_total", "Lines that the engine refused for good.",
            exports.map { (["export": $0.name], String($0.refused)) }, as: "counter")
        text.add(
            "export_lost_total", "Samples that were pruned before they were sent.",
            exports.map { (["export": $0.name], String($0.lost)) }, as: "counter")
    }
}

private struct MetricsText {
    var text = ""

    /// Adds a metric with its samples; one without a value is omitted, and so is a metric without samples.
    mutating func add(
        _ name: String, _ help: String, _ samples: [(labels: KeyValuePairs<String, String>, value: String?)],
        as kind: String = "gauge"
    ) {
        guard samples.contains(where: { $0.value != nil }) else { return }
        text += "# HELP pricewatch_\(name) \(help)\n# TYPE pricewatch_\(name) \(kind)\n"
        for case (let labels, let value?) in samples {
            let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "pricewatch_\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.replacingScalars { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: nil
            }
        }
    }
}

extension Percent {
    /// A ratio: 1.25 % is 0.0125.
    fileprivate var ratioText: String {
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 10_000)
        return "\(hundredths < 0 ? "-" : "")\(whole).\(String(10_000 + part).dropFirst())"
    }
}

extension Date {
    /// Seconds since 1970 with milliseconds: Prometheus's time.
    fileprivate var epochText: String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(String(1000 + abs(rest)).dropFirst())"
    }
}
