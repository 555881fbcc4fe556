/// One line of a table that says what a status or a provider's code means for the poll.
public struct ErrorRule: Sendable, Hashable {
    public var kind: FeedError.Kind
    public var isRetryable: Bool
    public var scope: FeedError.Scope
    /// In our words, before what the provider says.
    public var cause: String
    public var cure: String?

    public init(
        _ kind: FeedError.Kind, _ cause: String, cure: String? = nil, isRetryable: Bool = false,
        scope: FeedError.Scope = .feed
    ) {
        self.kind = kind
        self.cause = cause
        self.cure = cure
        self.isRetryable = isRetryable
        self.scope = scope
    }
}

extension ErrorRule {
    /// What an HTTP status means where the provider names no code that is known. The first line that covers it holds.
    static let byStatus: [(status: ClosedRange<Int>, rule: ErrorRule)] = [
        (200...299, .init(.server, "the provider reports a failure", isRetryable: true)),
        (304...304, .init(.badStatus, "not modified, though nothing was known", isRetryable: true)),
        (300...399, .init(.badStatus, "a redirect, which is not followed", cure: "set url: to where it leads")),
        (401...401, .init(.unauthorized, "the key is missing or not accepted", cure: "check key_file and plan")),
        (402...402, .init(.forbidden, "the plan does not cover this or is not paid", cure: "check the plan")),
        (
            403...403,
            .init(.forbidden, "access denied", cure: "check key and plan; the provider may refuse this address")
        ),
        (404...404, .init(.notFound, "not found", cure: "check url and ids", scope: .request)),
        (410...410, .init(.notFound, "gone", cure: "check url and ids", scope: .request)),
        (408...408, .init(.timeout, "the server waited too long for the request", isRetryable: true)),
        (425...425, .init(.badStatus, "too early", isRetryable: true)),
        (429...429, .init(.rateLimited, "too many requests", cure: tooMany, isRetryable: true)),
        (400...400, .init(.badRequest, "the request was refused", cure: "check currency and ids", scope: .request)),
        (414...414, .init(.badRequest, "the request is too long for the server", scope: .request)),
        (422...422, .init(.badRequest, "the request was refused", cure: "check currency and ids", scope: .request)),
        (451...451, .init(.blocked, "not available from this country", cure: "use another provider")),
        (500...599, .init(.server, "the server has a fault", isRetryable: true, scope: .request)),
    ]

    static let tooMany = "poll less often, or use a key"

    static func of(status: Int) -> ErrorRule {
        byStatus.first { $0.status.contains(status) }?.rule
            ?? ErrorRule(.badStatus, "an unexpected status", cure: "check url")
    }
}
