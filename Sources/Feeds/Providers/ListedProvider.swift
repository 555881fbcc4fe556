/// A provider's plan.
package enum ProviderPlan: String, Sendable, CaseIterable {
    /// Without a key.
    case `public`
    /// A free account.
    case demo
    /// A paid account.
    case pro

    package var needsKey: Bool { self != .public }
}

/// The limits of a plan. Each provider states them in its own file.
package struct ProviderTerms: Sendable, Hashable {
    package var baseURL: String
    /// Requests a month; nil if not known.
    package var quotaMonth: Int?
    /// The default poll interval.
    package var every: Duration
    /// The interval between backfill requests, which are sent beside the polls.
    package var pastEvery: Duration

    package init(
        _ baseURL: String, quotaMonth: Int? = nil, every: Duration = .seconds(60), pastEvery: Duration = .seconds(10)
    ) {
        self.baseURL = baseURL
        self.quotaMonth = quotaMonth
        self.every = every
        self.pastEvery = pastEvery
    }
}

/// A provider with a built-in name.
package protocol ListedProvider: Provider {
    static var name: String { get }
    /// By plan. A provider without plans has `public` only.
    static var terms: [ProviderPlan: ProviderTerms] { get }
    /// Whether the largest markets can be requested.
    static var ranksMarkets: Bool { get }

    init(plan: ProviderPlan)
}
