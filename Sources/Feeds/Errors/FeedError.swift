import Foundation
import Markets

/// Why a feed gave no usable answer: operation, cause and hint.
package struct FeedError: Error, Hashable, Sendable {
    package typealias Kind = PollError.Kind

    /// Whether the next page would fail for the same reason.
    package enum Scope: Sendable, Hashable { case feed, request }

    package var kind: Kind
    /// `get https://api.coingecko.com/api/v3/coins/markets`, without the query.
    package var operation: String
    /// Escaped and bounded if it comes from outside.
    package var cause: String
    /// What the owner can do; nil if nothing.
    package var hint: String?
    /// True if the same request may succeed later without any change.
    package var isRetryable: Bool
    /// The earliest time of the next request to the feed; nil if there is no limit.
    package var notBefore: NotBefore?
    package var scope: Scope
    /// The HTTP status; nil if no answer came.
    package var status: Int?
    /// The provider's own code.
    package var code: Int?

    package init(
        _ kind: Kind, operation: String, cause: String, hint: String? = nil, isRetryable: Bool,
        notBefore: NotBefore? = nil, scope: Scope = .feed, status: Int? = nil, code: Int? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.cause = cause
        self.hint = hint
        self.isRetryable = isRetryable
        self.notBefore = notBefore
        self.scope = scope
        self.status = status
        self.code = code
    }

    /// One line for people: operation, object, cause and, in brackets, the hint.
    package var message: String {
        "\(operation): \(cause)" + (hint.map { " (\($0))" } ?? "")
    }

    /// The error as part of a poll result.
    package var poll: PollError {
        PollError(kind, message: message, isRetryable: isRetryable, retryAt: notBefore?.at)
    }

    /// One of a small, fixed set of names, for metrics: `server`, `rate_limited`.
    package var label: String { kind.rawValue }

    package func retryAfter(_ now: Date) -> Duration? {
        notBefore.map { max(.zero, $0.at.since(now)) }
    }
}

extension FeedError: CustomStringConvertible {
    package var description: String { message }
}
