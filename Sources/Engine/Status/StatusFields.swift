import Foundation
import Markets

// The fields of the status file, in the order of the contract. Each list writes and reads.

extension StatusReport: JSONRecord {
    /// The report as JSON, ending in a newline.
    package var json: [UInt8] {
        var json = JSONWriter(reserving: 2048 + 400 * markets.count)
        var report = self
        json.object { report.fields(&$0) }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// Nil if `text` is no status file.
    package init?(json text: Data) {
        guard let report: StatusReport = JSONReader.read(text), report.writtenAt != .distantPast else { return nil }
        self = report
    }

    package mutating func fields(_ json: inout some JSONFields) {
        var schema = Self.schema
        json.member("schema", &schema)
        json.member("version", &version)
        json.member("state", &state)
        json.array("reasons", &reasons)
        json.member("pid", &pid)
        json.member("started_at", &startedAt)
        json.member("written_at", &writtenAt)
        json.member("expires_at", &expiresAt)
        json.member("next_poll_at", &nextPollAt)
        json.object("last_poll", &lastPoll)
        json.member("consecutive_failures", &consecutiveFailures)
        json.member("interval_s", &interval)
        json.array("feeds", &feeds)
        json.object("summary_24h") { summary.fields(&$0) }
        marketsOmitted += max(0, markets.count - Self.marketsListed)
        markets = Array(markets.prefix(Self.marketsListed))
        json.array("markets", &markets)
        json.member("markets_omitted", &marketsOmitted)
        json.object("alerts") { json in
            json.array("firing", &firing)
            json.array("pending", &pending)
            json.array("silences", &silences)
            json.array("dormant", &dormant)
        }
        json.object("outbox") { json in
            json.member("queued", &outbox.queued)
            var age = outbox.oldest.map { max(0, Int(writtenAt.since($0).inSeconds)) }
            json.member("oldest_s", &age)
            outbox.oldest = age.map { writtenAt - .seconds($0) }
            var held = outbox.held.reduce(0) { $0 + $1.count }
            json.member("held", &held)
            var until = outbox.held.compactMap(\.until).min()
            json.member("held_until", &until)
            json.array("held_by", &outbox.held)
        }
        json.array("exports", &exports)
        json.object("history") { json in
            json.member("database", &history.database)
            json.member("bytes", &history.bytes)
            json.member("samples", &history.samples)
            json.member("oldest_at", &history.oldestAt)
        }
    }
}

extension StatusReport.Reason: JSONRecord {
    package mutating func fields(_ json: inout some JSONFields) {
        json.member("code", &code)
        json.member("message", &message)
    }
}

extension CyclePoll: JSONRecord {
    package init() {
        self.init(at: .distantPast, outcome: .failed, feed: "", markets: 0, tookMilliseconds: 0, attempts: 0)
    }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("at", &at)
        json.member("outcome", &outcome)
        json.member("feed", &feed)
        json.member("markets", &markets)
        json.member("took_ms", &tookMilliseconds)
        json.member("attempts", &attempts)
        json.object("error", &error)
    }
}

extension PollError: JSONRecord {
    package init() { self.init(.empty, message: "", isRetryable: false) }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("kind", &kind)
        json.member("message", &message)
        json.member("retryable", &isRetryable)
        json.member("retry_at", &retryAt)
    }
}

extension StatusReport.Feed: JSONRecord {
    package mutating func fields(_ json: inout some JSONFields) {
        json.member("name", &name)
        json.member("state", &state)
        json.member("next_try_at", &nextTryAt)
        json.member("requests_month", &requestsThisMonth)
        json.member("quota_month", &quota)
        json.member("quota_ends_at", &quotaEndsAt)
    }
}

extension StatusReport.Export: JSONRecord {
    package mutating func fields(_ json: inout some JSONFields) {
        json.member("name", &name)
        json.member("state", &state)
        json.member("lag_s", &lag)
        json.member("pending", &pending)
        json.member("refused", &refused)
        json.member("lost", &lost)
        json.member("error", &error)
    }
}

extension StatusReport.Market: JSONRecord {
    package mutating func fields(_ json: inout some JSONFields) {
        json.member("market", &market)
        json.member("symbol", &symbol)
        json.member("name", &name)
        json.member("currency", &currency)
        json.member("price", &price)
        json.member("feed", &feed)
        json.member("quoted_at", &quotedAt)
        json.member("fetched_at", &fetchedAt)
        json.member("state", &state)
        json.member("reason", &reason)
        json.member("change_24h_percent", &change)
        json.member("change_24h_basis", &basis)
        json.member("cost", &cost)
        json.member("gain", &gain)
        json.member("gain_percent", &gainPercent)
    }
}

extension OutboxSize.Held: JSONRecord {
    package init() { self.init(channel: "", count: 0, until: nil) }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("channel", &channel)
        json.member("held", &count)
        json.member("held_until", &until)
    }
}

extension DaySummary {
    package mutating func fields(_ json: inout some JSONFields) {
        json.member("up", &up)
        json.member("down", &down)
        json.member("flat", &flat)
        json.member("unknown", &unknown)
        json.member("coverage_percent", &coverage)
        json.member("watched_since", &watchedSince)
        json.array("gainers", &gainers)
        json.array("losers", &losers)
    }
}

extension DaySummary.Move: JSONRecord {
    package init() { self.init(market: .feed, change: .zero) }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("market", &market)
        json.member("change_percent", &change)
    }
}

/// A missing rule means all rules, a missing market all markets.
extension Silence: JSONRecord {
    package init() { self.init(id: 0, rule: nil, market: nil, since: .distantPast, until: .distantPast) }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("rule", &rule)
        json.member("market", &market)
        json.member("since", &since)
        json.member("until", &until)
    }
}

extension DormantAlert: JSONRecord {
    package init() { self.init(rule: "", market: .feed, condition: .stale(.zero)) }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("rule", &rule)
        json.member("market", &market)
        json.member("condition", &condition)
    }
}

/// The event object, the same in every document.
extension AlertEvent: JSONRecord {
    package init() { self.init(id: "") }

    package mutating func fields(_ json: inout some JSONFields) {
        json.member("event_id", &id)
        json.member("event", &kind)
        json.member("reason", &reason)
        json.member("rule", &rule)
        json.member("market", &market)
        json.text("symbol", &symbol)
        json.text("name", &name)
        json.member("currency", &currency)
        json.member("severity", &severity)
        json.member("note", &note)
        json.member("condition", &condition)
        json.member("price", &price)
        json.member("threshold", &threshold)
        json.member("change_percent", &changePercent)
        json.member("at", &at)
        json.member("quoted_at", &quotedAt)
        json.member("since", &since)
        json.member("late_s", &lateSeconds)
        json.member("silenced_until", &silencedUntil)
        json.member("feed", &feed)
        json.member("host", &host)
    }
}

extension JSONFields {
    /// An empty text is null.
    fileprivate mutating func text(_ name: StaticString, _ value: inout String) {
        var text = value.isEmpty ? nil : value
        member(name, &text)
        value = text ?? ""
    }
}

extension MarketBoard.Entry.State: JSONScalar {}
extension DayChange.Basis: JSONScalar {}
extension PollOutcome: JSONScalar {}
extension AlertEvent.Kind: JSONScalar {}
extension AlertRule.Severity: JSONScalar {}

extension AlertReason: JSONScalar {
    package func write(to json: inout JSONWriter) { json.string(word) }
}

extension AlertRule.Condition: JSONScalar {
    package init?(json text: String) { self.init(reading: text) }
    package func write(to json: inout JSONWriter) { json.string(description) }
}
