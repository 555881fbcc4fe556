import Foundation

/// Why a feed gave no usable answer: what was asked, what came back, and what to do about it.
public struct FeedError: Error, Hashable, Sendable {
    /// The kinds as they stand in the status file.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case dns, connect, tls, timeout, transport
        case rateLimited = "rate_limited"
        case quota, unauthorized, forbidden, blocked
        case notFound = "not_found"
        case badRequest = "bad_request"
        case server
        case badStatus = "bad_status"
        case tooLarge = "too_large"
        case contentType = "content_type"
        case decode, empty
    }

    /// Whether the next page would fail for the same reason.
    public enum Scope: Sendable, Hashable { case feed, request }

    public var kind: Kind
    /// `get https://api.coingecko.com/api/v3/coins/markets`, without the query.
    public var operation: String
    /// Escaped and bounded where it comes from outside.
    public var cause: String
    /// What the owner can do; nil where there is nothing.
    public var cure: String?
    /// True where the same request may succeed later without anybody doing anything.
    public var isRetryable: Bool
    /// When the feed may be asked again at the earliest; nil where nothing speaks against now.
    public var notBefore: NotBefore?
    public var scope: Scope
    /// The HTTP status, where one arrived.
    public var status: Int?
    /// The provider's own code.
    public var code: Int?

    public init(
        _ kind: Kind, operation: String, cause: String, cure: String? = nil, isRetryable: Bool,
        notBefore: NotBefore? = nil, scope: Scope = .feed, status: Int? = nil, code: Int? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.cause = cause
        self.cure = cure
        self.isRetryable = isRetryable
        self.notBefore = notBefore
        self.scope = scope
        self.status = status
        self.code = code
    }

    /// One line for people: operation, object, cause and, in brackets, the cure.
    public var message: String {
        "\(operation): \(cause)" + (cure.map { " (\($0))" } ?? "")
    }

    /// One of a small, fixed set of names, for metrics: `server`, `rate_limited`.
    public var label: String { kind.rawValue }

    public func retryAfter(_ now: Date) -> Duration? {
        notBefore.map { max(.zero, $0.at.since(now)) }
    }
}

/// The moment before which nothing is sent.
public struct NotBefore: Hashable, Sendable {
    public var at: Date
    /// True where the provider named it (`Retry-After` and the like), false where it is our own caution.
    public var isNamed: Bool

    public init(at: Date, isNamed: Bool) {
        self.at = at
        self.isNamed = isNamed
    }
}

extension FeedError: CustomStringConvertible {
    public var description: String { message }
}
