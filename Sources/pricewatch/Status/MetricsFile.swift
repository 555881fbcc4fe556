import Engine
import Foundation
import History
import Markets
import Synchronization

/// The file for node_exporter's textfile collector, replaced atomically with each status.
final class MetricsFile: Sendable {
    private let file: AtomicFile
    private let state = Mutex(State())

    private struct State {
        var polls: [PollOutcome: Int] = [:]
        var counted: Date?
        var unwritable = false
    }

    init(path: String) {
        file = AtomicFile(path: path)
        file.removeAbandoned()
    }

    /// - Parameters:
    ///   - finished: A cycle has ended. Its poll is counted only then, even if sources have answered before.
    ///   - expiresAt: When the next status is due, also if the daemon has stopped since.
    func write(_ report: StatusReport, finished: Bool, expiresAt: Date?, _ log: EventLog) {
        state.withLock { state in
            if finished, let poll = report.lastPoll, poll.at != state.counted {
                state.counted = poll.at
                state.polls[poll.outcome, default: 0] += 1
            }
            do {
                try file.replace(with: Array(Self.text(report, polls: state.polls, expiresAt: expiresAt).utf8))
                state.unwritable = false
            } catch {
                // Logged once, not at every poll; readers of the metrics see them expire.
                if !state.unwritable {
                    log.write(LogLine(.error, "metrics.unwritable") { $0.add("message", "\(error)") })
                }
                state.unwritable = true
            }
        }
    }

    static func text(_ report: StatusReport, polls: [PollOutcome: Int], expiresAt: Date?) -> String {
        var metrics = MetricsText()
        // A stopped daemon exports no market metrics.
        let markets = report.state == .stopped ? [] : report.markets
        metrics.family("price", .gauge, "The newest price of a market whose quote is fresh.") { add in
            for market in markets where market.state == .fresh {
                guard let price = market.priceSample?.price else { continue }
                add([("market", market.market.text), ("currency", market.currency.code)], price.description)
            }
        }
        metrics.family("change_24h_ratio", .gauge, "The change over 24 hours; 0.01 is one percent.") { add in
            for market in markets {
                guard let change = market.change?.percent else { continue }
                add([("market", market.market.text)], change.ratioText)
            }
        }
        metrics.family("quote_timestamp_seconds", .gauge, "When the price was quoted.") { add in
            for market in markets {
                guard let priceSample = market.priceSample else { continue }
                add([("market", market.market.text)], priceSample.quotedAt.epochText)
            }
        }
        metrics.family("markets", .gauge, "How many watched markets are in each state.") { add in
            let counts = report.state == .stopped ? [:] : report.marketsByState
            for state in MarketBoard.Entry.State.allCases {
                add([("state", state.rawValue)], String(counts[state] ?? 0))
            }
        }
        metrics.family("alert_firing", .gauge, "1 for each alert that fires.") { add in
            for alert in report.state == .stopped ? [] : report.firing {
                add(
                    [("rule", alert.rule), ("market", alert.market.text), ("severity", alert.severity.rawValue)], "1")
            }
        }
        metrics.family("state", .gauge, "1 for the state that the daemon is in.") { add in
            for state in StatusReport.State.allCases {
                add([("state", state.rawValue)], state == report.state ? "1" : "0")
            }
        }
        metrics.family("polls_total", .counter, "Polls since the daemon's start, by outcome.") { add in
            for outcome in PollOutcome.allCases { add([("outcome", outcome.rawValue)], String(polls[outcome] ?? 0)) }
        }
        metrics.family("requests_total", .counter, "Requests sent in the UTC month.") { add in
            for feed in report.feeds { add([("feed", feed.name)], String(feed.requestsThisMonth)) }
        }
        metrics.family("last_success_timestamp_seconds", .gauge, "When the newest poll began that brought prices.") {
            add in
            if let at = report.lastUsablePoll { add([], at.epochText) }
        }
        metrics.family("expires_timestamp_seconds", .gauge, "When these numbers are no longer worth anything.") { add in
            if let expiresAt { add([], expiresAt.epochText) }
        }
        metrics.family("outbox_messages", .gauge, "Messages that wait to be sent.") { add in
            add([], String(report.outbox.queued))
        }
        metrics.family("database_bytes", .gauge, "What the history takes on disk.") { add in
            add([], String(report.history.bytes))
        }
        metrics.family("info", .gauge, "The version that runs.") { add in add([("version", Version.current)], "1") }
        return metrics.text
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
