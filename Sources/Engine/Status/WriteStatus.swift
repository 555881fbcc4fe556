import Foundation
import Markets

extension StatusReport {
    /// The report as JSON, keys in the order of the contract, ending in a newline.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 2048 + 400 * markets.count)
        json.object { json in
            json.member("schema", Self.schema)
            json.member("version", Version.current)
            json.member("state", state.rawValue)
            json.array("reasons", reasons) { json, reason in
                json.object { json in
                    json.member("code", reason.code.rawValue)
                    json.member("message", reason.message)
                }
            }
            json.member("pid", pid.map(Int.init))
            json.member("started_at", startedAt)
            json.member("written_at", writtenAt)
            json.member("expires_at", expiresAt)
            json.member("next_poll_at", nextPollAt)
            writeLastPoll(&json)
            json.member("consecutive_failures", consecutiveFailures)
            json.key("interval_s")
            json.number(interval.secondsLiteral)
            json.array("feeds", feeds) { $1.write(&$0) }
            summary.write("summary_24h", &json)
            json.array("markets", markets) { $1.write(&$0) }
            json.member("markets_omitted", marketsOmitted)
            json.object("alerts") { json in
                json.array("firing", firing) { $1.write(&$0) }
                json.array("pending", pending) { $1.write(&$0) }
                json.array("silences", silences) { $1.write(&$0) }
            }
            json.object("outbox") { json in
                json.member("queued", outbox.queued)
                json.member(
                    "oldest_s", outbox.oldest.map { max(0, Int(writtenAt.since($0).inMilliseconds / 1000)) })
            }
            json.object("history") { json in
                json.member("database", history.database)
                json.member("bytes", Int(history.bytes))
                json.member("samples", Int(history.samples))
                json.member("oldest_at", history.oldestAt)
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private func writeLastPoll(_ json: inout JSONWriter) {
        json.key("last_poll")
        guard let poll = lastPoll else { return json.null() }
        json.object { json in
            json.member("at", poll.at)
            json.member("outcome", poll.outcome.rawValue)
            json.member("feed", poll.feed)
            json.member("markets", poll.markets)
            json.member("took_ms", poll.tookMilliseconds)
            json.member("attempts", poll.attempts)
            json.key("error")
            guard let error = poll.error else { return json.null() }
            json.object { json in
                json.member("kind", error.kind.rawValue)
                json.member("message", error.message)
                json.member("retryable", error.isRetryable)
                json.member("retry_at", error.retryAt)
            }
        }
    }
}

extension StatusReport.Feed {
    fileprivate func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("state", state.rawValue)
            json.member("next_try_at", nextTryAt)
            json.member("requests_month", requestsThisMonth)
            json.member("quota_month", quota)
            json.member("quota_ends_at", quotaEndsAt)
        }
    }
}

extension StatusReport.Market {
    fileprivate func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("market", market.text)
            json.member("symbol", symbol)
            json.member("name", name)
            json.member("currency", currency.code)
            json.member("price", priceSample?.price)
            json.member("feed", priceSample?.feed)
            json.member("quoted_at", priceSample?.quotedAt)
            json.member("fetched_at", priceSample?.fetchedAt)
            json.member("state", state.rawValue)
            json.member("reason", reason?.rawValue)
            json.member("change_24h_percent", change?.percent)
            json.member("change_24h_basis", change?.basis.rawValue)
        }
    }
}

extension DaySummary {
    package func write(_ name: StaticString, _ json: inout JSONWriter) {
        json.object(name) { json in members(&json) }
    }

    package func members(_ json: inout JSONWriter) {
        json.member("up", up)
        json.member("down", down)
        json.member("flat", flat)
        json.member("unknown", unknown)
        json.key("coverage_percent")
        json.number(coverage.description)
        for (name, moves) in [("gainers", gainers), ("losers", losers)] as [(StaticString, [Move])] {
            json.array(name, moves) { json, move in
                json.object { json in
                    json.member("market", move.market.text)
                    json.member("change_percent", move.change)
                }
            }
        }
    }
}

extension Silence {
    /// A missing rule means all rules, a missing market all markets.
    package func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("rule", rule)
            json.member("market", market?.text)
            json.member("since", since)
            json.member("until", until)
        }
    }
}

extension AlertEvent {
    /// The event object, the same in every document.
    package func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("event_id", id)
            json.member("event", kind.rawValue)
            json.member("reason", reason.rawValue)
            json.member("rule", rule)
            json.member("market", market.text)
            json.member("symbol", symbol.isEmpty ? nil : symbol)
            json.member("name", name.isEmpty ? nil : name)
            json.member("currency", currency.code)
            json.member("severity", severity.rawValue)
            json.member("note", note)
            json.member("condition", condition.description)
            json.member("price", price)
            json.member("threshold", threshold)
            json.member("change_percent", changePercent)
            json.member("at", at)
            json.member("quoted_at", quotedAt)
            json.member("since", since)
            json.member("late_s", lateSeconds)
            json.member("silenced_until", silencedUntil)
            json.member("feed", feed)
            json.member("host", host)
        }
    }
}

extension Duration {
    /// Seconds as a JSON number: `60`, `0.5`.
    package var secondsLiteral: String {
        let (whole, rest) = inMilliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)" : "\(Double(inMilliseconds) / 1000)"
    }
}
