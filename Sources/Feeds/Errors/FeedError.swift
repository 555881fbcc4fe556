import Foundation
import HTTP
import Markets

/// Why a feed gave no usable answer: operation, cause and hint.
package struct FeedError: Error, Hashable, Sendable {
    package typealias Kind = PollError.Kind

    /// Whether the next page would fail for the same reason.
    package enum Scope: Sendable, Hashable { case feed, request }

    package var kind: Kind
    /// `get https://api.coingecko.com/api/v3/coins/markets`, without the query. Empty in the tables of statuses and
    /// codes, which hold what is the same for every operation.
    package var operation = ""
    /// In our words, followed by the provider's, escaped and bounded.
    package var cause: String
    /// What the owner can do; nil if nothing.
    package var hint: String?
    /// True if the same request may succeed later without any change.
    package var isRetryable: Bool
    package var scope: Scope
    /// The HTTP status; nil if no answer came.
    package var status: Int?
    /// The earliest time of the next request to the feed; nil if there is no limit.
    package var notBefore: NotBefore?

    package init(
        _ kind: Kind, _ cause: String, hint: String? = nil, isRetryable: Bool = false, scope: Scope = .feed
    ) {
        self.kind = kind
        self.cause = cause
        self.hint = hint
        self.isRetryable = isRetryable
        self.scope = scope
    }

    /// One line for people: operation, object, cause and, in brackets, the hint.
    package var message: String {
        "\(operation): \(cause)" + (hint.map { " (\($0))" } ?? "")
    }

    /// The error as part of a poll result.
    package var poll: PollError {
        PollError(kind, message: message, isRetryable: isRetryable, retryAt: notBefore?.at)
    }
}

extension FeedError {
    /// The meaning of an HTTP status without a known provider code. The first matching row applies.
    static let byStatus: [(status: ClosedRange<Int>, error: FeedError)] = [
        (200...299, .init(.server, "the provider reports a failure", isRetryable: true)),
        (304...304, .notModified),
        (300...399, .init(.badStatus, "a redirect, which is not followed", hint: "set url: to where it leads")),
        (401...401, .init(.unauthorized, "the key is missing or not accepted", hint: "check key_file and plan")),
        (402...402, .init(.forbidden, "the plan does not cover this or is not paid", hint: "check the plan")),
        (
            403...403,
            .init(.forbidden, "access denied", hint: "check key and plan; the provider may refuse this address")
        ),
        (404...404, .init(.notFound, "not found", hint: "check url and ids", scope: .request)),
        (410...410, .init(.notFound, "gone", hint: "check url and ids", scope: .request)),
        (408...408, .init(.timeout, "the server waited too long for the request", isRetryable: true)),
        (425...425, .init(.badStatus, "too early", isRetryable: true)),
        (429...429, .tooManyRequests),
        (400...400, .init(.badRequest, "the request was refused", hint: "check currency and ids", scope: .request)),
        (414...414, .init(.badRequest, "the request is too long for the server", scope: .request)),
        (422...422, .init(.badRequest, "the request was refused", hint: "check currency and ids", scope: .request)),
        (451...451, .init(.blocked, "not available from this country", hint: "use another provider")),
        (500...599, .init(.server, "the server has a fault", isRetryable: true, scope: .request)),
    ]

    static let notModified = FeedError(.badStatus, "not modified, though nothing was known", isRetryable: true)
    static let tooManyRequests = limited("too many requests")

    static func limited(_ cause: String) -> FeedError {
        FeedError(.rateLimited, cause, hint: "poll less often, or use a key", isRetryable: true)
    }

    /// A name of a market that the provider refuses.
    static func refusedName(_ kind: Kind, _ cause: String, at provider: String) -> FeedError {
        FeedError(kind, cause, hint: "check the ids for \(provider)", scope: .request)
    }
}

/// What a provider's own codes mean.
package struct ProviderErrors: Sendable {
    var codes: [Int: FeedError] = [:]
    /// HTTP statuses that mean something else than usual.
    var statuses: [Int: FeedError] = [:]
    /// Messages by prefix, for a provider without codes; the first match applies.
    var texts: [(beginning: String, error: FeedError)] = []
    var webPage = FeedError(
        .blocked, "a web page came in place of data",
        hint: "the provider or a proxy blocks this address: use a key, or another address")
}

/// The time before which no request is sent.
package struct NotBefore: Hashable, Sendable {
    package var at: Date
    /// True if the provider named it (`Retry-After` and the like), false if it is our own back-off.
    var isNamed: Bool
}

extension NotBefore {
    /// The minimum wait after a rate limit without `Retry-After`.
    static let shortestRateWait = Duration.seconds(60)

    /// From `Retry-After`, for rate limits also from `x-ratelimit-reset`; 60 s for a rate limit without either.
    init?(_ kind: PollError.Kind, _ headers: HTTPFields, now: Date) {
        let isLimit = kind == .rateLimited || kind == .quota
        let named = headers.retryAfter(now: now) ?? (isLimit ? headers.rateLimitReset(now: now) : nil)
        guard named != nil || isLimit else { return nil }
        self.init(at: now + (named ?? Self.shortestRateWait), isNamed: named != nil)
    }
}

extension HTTPFields {
    /// CoinGecko sends `2025-07-25 14:54:00 +0000` (coingecko-typescript).
    fileprivate func rateLimitReset(now: Date) -> Duration? {
        let reset = self["x-ratelimit-reset"].flatMap { Date(utcText: $0) }
        return reset.flatMap { remaining(until: $0, now: now).boundedWait }
    }
}
