import Feeds
import Markets

/// Whom a feed asks.
enum Provider: String, Hashable, Sendable, CaseIterable {
    case coinGecko = "coingecko"
    case coinPaprika = "coinpaprika"
    case coinMarketCap = "coinmarketcap"
    case binance
    case kraken
    case json

    /// What is known of it; nil for our generic feed, of which its owner tells all.
    var listed: (any ListedProvider.Type)? { Providers.named(rawValue) }

    /// The plans it sells. Empty: there is no such choice, `plan` is refused.
    var plans: [Plan] {
        guard let terms = listed?.terms, terms.count > 1 else { return [] }
        return Plan.allCases.filter { terms[$0.agreed] != nil }
    }

    /// Whether `key` means something without a plan: only our generic feed, whose owner says where it goes.
    var takesKeyWithoutPlan: Bool { self == .json }
}

/// What was agreed with the provider; decides host, header, quota and default interval.
enum Plan: String, Hashable, Sendable, CaseIterable {
    /// No account, no key.
    case `public`
    /// A free account.
    case demo
    /// A paid account.
    case pro

    var needsKey: Bool { self != .public }

    var agreed: ProviderPlan {
        switch self {
        case .public: .public
        case .demo: .demo
        case .pro: .pro
        }
    }
}
