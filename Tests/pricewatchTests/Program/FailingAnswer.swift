import MarketSimulator
import TestSupport
import Testing

/// One way in which a provider fails, and what the status must call it.
struct FailingAnswer: Sendable, CustomTestStringConvertible {
    var name: String
    var fault: Fault
    var kind: String
    var retryable: Bool
    /// Ample for a busy machine, and shorter than the minute that a rate limit waits.
    var timeout = "55s"

    var testDescription: String { name }

    static let all: [FailingAnswer] =
        [500, 502, 503, 504].map { FailingAnswer(name: "\($0)", fault: .status($0), kind: "server", retryable: true) }
        + [
            FailingAnswer(name: "404", fault: .status(404), kind: "not_found", retryable: false),
            FailingAnswer(name: "400", fault: .status(400), kind: "bad_request", retryable: false),
            FailingAnswer(name: "401", fault: .status(401), kind: "unauthorized", retryable: false),
            FailingAnswer(name: "403", fault: .status(403), kind: "forbidden", retryable: false),
            FailingAnswer(name: "429", fault: .status(429), kind: "rate_limited", retryable: true),
            FailingAnswer(
                name: "429, wait", fault: .status(429, retryAfter: 120), kind: "rate_limited", retryable: true),
            FailingAnswer(name: "reset", fault: .reset, kind: "transport", retryable: true),
            FailingAnswer(name: "truncated", fault: .truncate, kind: "transport", retryable: true),
            FailingAnswer(name: "hang", fault: .hang, kind: "timeout", retryable: true, timeout: "1s"),
            FailingAnswer(name: "a byte each 500 ms", fault: .drip(), kind: "timeout", retryable: true, timeout: "1s"),
            FailingAnswer(name: "broken JSON", fault: .badJSON, kind: "decode", retryable: true),
            FailingAnswer(name: "a page for people", fault: .html, kind: "blocked", retryable: false),
            FailingAnswer(name: "an error inside 200", fault: .error200, kind: "rate_limited", retryable: true),
            FailingAnswer(name: "nulls", fault: .nullPrices(), kind: "empty", retryable: true),
            FailingAnswer(name: "1 GiB", fault: .huge(), kind: "too_large", retryable: false),
            FailingAnswer(name: "a gzip bomb", fault: .gzipBomb(), kind: "too_large", retryable: false),
            FailingAnswer(
                name: "a redirect to itself",
                fault: .reply(.init(status: 302, headers: ["Location": "/api/v3/coins/markets"])),
                kind: "bad_status", retryable: false),
            FailingAnswer(
                name: "the wrong type",
                fault: .reply(.init(headers: ["Content-Type": "image/png"], text: "[]")),
                kind: "content_type", retryable: false),
        ]
}
