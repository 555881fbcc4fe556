/// The meaning of a status or a provider's code for the poll.
package struct ErrorRule: Sendable, Hashable {
    package var kind: FeedError.Kind
    package var isRetryable: Bool
    package var scope: FeedError.Scope
    /// In our words, put before the provider's.
    package var cause: String
    package var hint: String?

    package init(
        _ kind: FeedError.Kind, _ cause: String, hint: String? = nil, isRetryable: Bool = false,
        scope: FeedError.Scope = .feed
    ) {
        self.kind = kind
        self.cause = cause
        self.hint = hint
        self.isRetryable = isRetryable
        self.scope = scope
    }
}

extension ErrorRule {
    /// The meaning of an HTTP status without a known provider code. The first matching row applies.
    static let byStatus: [(status: ClosedRange<Int>, rule: ErrorRule)] = [
        (200...299, .init(.server, "the provider reports a failure", isRetryable: true)),
        (304...304, .init(.badStatus, "not modified, though nothing was known", isRetryable: true)),
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
        (429...429, .init(.rateLimited, "too many requests", hint: tooMany, isRetryable: true)),
        (400...400, .init(.badRequest, "the request was refused", hint: "check currency and ids", scope: .request)),
        (414...414, .init(.badRequest, "the request is too long for the server", scope: .request)),
        (422...422, .init(.badRequest, "the request was refused", hint: "check currency and ids", scope: .request)),
        (451...451, .init(.blocked, "not available from this country", hint: "use another provider")),
        (500...599, .init(.server, "the server has a fault", isRetryable: true, scope: .request)),
    ]

    static let tooMany = "poll less often, or use a key"

    static func of(status: Int) -> ErrorRule {
        byStatus.first { $0.status.contains(status) }?.rule
            ?? ErrorRule(.badStatus, "an unexpected status", hint: "check url")
    }
}
