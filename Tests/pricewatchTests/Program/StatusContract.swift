import Engine
import Foundation
import Markets

/// The status file's contract: every key, and what may stand there.
enum StatusContract {
    static func faults(in status: [String: Any]) -> [String] {
        var faults: [String] = []
        check(status, top, "", &faults)
        for (key, shape) in [("reasons", reason), ("feeds", feed), ("markets", market), ("exports", export)] {
            for item in status[key] as? [[String: Any]] ?? [] { check(item, shape, key + ".", &faults) }
        }
        if let poll = status["last_poll"] as? [String: Any] {
            check(poll, lastPoll, "last_poll.", &faults)
            if let failure = poll["error"] as? [String: Any] { check(failure, error, "last_poll.error.", &faults) }
        }
        check(status["summary_24h"] as? [String: Any] ?? [:], summary, "summary_24h.", &faults)
        check(status["alerts"] as? [String: Any] ?? [:], alerts, "alerts.", &faults)
        check(status["outbox"] as? [String: Any] ?? [:], outbox, "outbox.", &faults)
        check(status["history"] as? [String: Any] ?? [:], history, "history.", &faults)
        return faults
    }

    private enum Shape: Sendable {
        case number, text, time, price, list, object
        case word([String])
        indirect case orNull(Shape)

        func accepts(_ value: Any) -> Bool {
            switch self {
            case .number: value is NSNumber
            case .text: value is String
            case .time: (value as? String).map { $0.count == 20 && Date(utcText: $0) != nil } ?? false
            case .price: (value as? String).map { Price(parsing: $0)?.description == $0 } ?? false
            case .list: value is [Any]
            case .object: value is [String: Any]
            case .word(let words): (value as? String).map(words.contains) ?? false
            case .orNull(let shape): value is NSNull || shape.accepts(value)
            }
        }
    }

    private static func check(
        _ object: [String: Any], _ shapes: [String: Shape], _ path: String, _ faults: inout [String]
    ) {
        for (key, shape) in shapes {
            guard let value = object[key] else {
                faults.append("\(path)\(key) is absent")
                continue
            }
            if !shape.accepts(value) { faults.append("\(path)\(key) is \(value)") }
        }
        for key in object.keys where shapes[key] == nil { faults.append("\(path)\(key) is not in the contract") }
    }

    private static let top: [String: Shape] = [
        "schema": .number, "version": .text,
        "state": .word(["starting", "ok", "degraded", "failing", "stopping", "stopped"]), "reasons": .list,
        "pid": .orNull(.number), "started_at": .orNull(.time), "written_at": .time, "expires_at": .orNull(.time),
        "next_poll_at": .orNull(.time), "last_poll": .orNull(.object), "consecutive_failures": .number,
        "interval_s": .number, "feeds": .list, "summary_24h": .object, "markets": .list, "markets_omitted": .number,
        "alerts": .object, "outbox": .object, "exports": .list, "history": .object,
    ]
    private static let reason: [String: Shape] = [
        "code": .word([
            "poll_failed", "waiting", "standby", "quota", "market_missing", "market_stale", "market_unknown",
            "config_rejected", "not_recording", "database_replaced", "notify_failing", "export_failing",
            "export_refused", "log_unwritable", "clock",
        ]), "message": .text,
    ]
    private static let lastPoll: [String: Shape] = [
        "at": .time, "outcome": .word(["ok", "partial", "unchanged", "failed"]), "feed": .text, "markets": .number,
        "took_ms": .number, "attempts": .number, "error": .orNull(.object),
    ]
    private static let error: [String: Shape] = [
        "kind": .word([
            "dns", "connect", "tls", "timeout", "transport", "rate_limited", "quota", "unauthorized", "forbidden",
            "blocked", "not_found", "bad_request", "server", "bad_status", "too_large", "content_type", "decode",
            "empty",
        ]), "message": .text, "retryable": .number, "retry_at": .orNull(.time),
    ]
    private static let feed: [String: Shape] = [
        "name": .text, "state": .word(["serving", "standby", "cooling", "blocked", "failing"]),
        "next_try_at": .orNull(.time),
        "requests_month": .number, "quota_month": .orNull(.number), "quota_ends_at": .orNull(.time),
    ]
    private static let summary: [String: Shape] = [
        "up": .number, "down": .number, "flat": .number, "unknown": .number, "coverage_percent": .number,
        "watched_since": .orNull(.time), "gainers": .list, "losers": .list,
    ]
    private static let market: [String: Shape] = [
        "market": .text, "symbol": .text, "name": .text, "currency": .text, "price": .orNull(.price),
        "feed": .orNull(.text), "quoted_at": .orNull(.time), "fetched_at": .orNull(.time),
        "state": .word(["fresh", "stale", "missing", "unknown"]),
        "reason": .orNull(
            .word([
                "not_answered", "null_price", "bad_price", "not_asked", "old_quote", "no_mapping", "unconfirmed",
                "incomplete",
            ])), "change_24h_percent": .orNull(.number), "change_24h_basis": .orNull(.word(["recorded", "reported"])),
        "cost": .orNull(.price), "gain": .orNull(.text), "gain_percent": .orNull(.number),
    ]
    private static let alerts: [String: Shape] = [
        "firing": .list, "pending": .list, "silences": .list, "dormant": .list,
    ]
    private static let outbox: [String: Shape] = [
        "queued": .number, "oldest_s": .orNull(.number), "held": .number, "held_until": .orNull(.time),
        "held_by": .list,
    ]
    private static let export: [String: Shape] = [
        "name": .text, "state": .word(["ok", "behind", "failing", "refused"]), "lag_s": .number, "pending": .number,
        "refused": .number, "lost": .number, "error": .orNull(.text),
    ]
    private static let history: [String: Shape] = [
        "database": .text, "bytes": .number, "samples": .number, "oldest_at": .orNull(.time),
    ]
}
