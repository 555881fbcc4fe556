/// What was agreed with a provider.
public enum ProviderPlan: String, Sendable, CaseIterable {
    /// Without a key.
    case `public`
    /// A free account.
    case demo
    /// A paid account.
    case pro
}

/// What follows from a plan. Every provider states its facts once, in its own file.
public struct ProviderTerms: Sendable, Hashable {
    public var baseURL: String
    /// Requests a month; nil where the plan has no known number.
    public var quotaMonth: Int?
    /// How often polling makes sense.
    public var every: Duration
    /// Between two questions for the past, which come beside the polls.
    public var pastEvery: Duration

    public init(
        _ baseURL: String, quotaMonth: Int? = nil, every: Duration = .seconds(60), pastEvery: Duration = .seconds(10)
    ) {
        self.baseURL = baseURL
        self.quotaMonth = quotaMonth
        self.every = every
        self.pastEvery = pastEvery
    }
}

/// A provider that is known by its name.
public protocol ListedProvider: Provider {
    static var name: String { get }
    /// By plan. One that sells no plans has the line `public` alone.
    static var terms: [ProviderPlan: ProviderTerms] { get }
    /// Whether it can be asked for the largest markets.
    static var ranksMarkets: Bool { get }

    init(plan: ProviderPlan)
}

/// The list. A new provider is a file beside this one, its tests, and a line here.
public enum Providers {
    public static let all: [any ListedProvider.Type] = [
        CoinGecko.self, CoinPaprika.self, CoinMarketCap.self, Binance.self, Kraken.self,
    ]

    public static func named(_ name: String) -> (any ListedProvider.Type)? { all.first { $0.name == name } }
}
