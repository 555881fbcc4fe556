import Markets

/// Whom a feed asks.
enum Provider: String, Hashable, Sendable, CaseIterable {
    case coinGecko = "coingecko"
    case coinPaprika = "coinpaprika"
    case coinMarketCap = "coinmarketcap"
    case binance
    case kraken
    case json

    /// The plans it sells. Empty: there is no such choice, `plan` is refused.
    var plans: [Plan] {
        switch self {
        case .coinGecko, .coinMarketCap: [.public, .demo, .pro]
        case .coinPaprika: [.public, .pro]
        case .binance, .kraken, .json: []
        }
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

    /// How often to ask where the configuration does not say. A demo key that is asked once a minute is used up
    /// on the seventh day of the month.
    var every: Duration {
        switch self {
        case .public, .pro: .seconds(60)
        case .demo: .seconds(300)
        }
    }

    /// Requests a month: CoinGecko's pricing table (demo 10,000; the smallest paid plan 100,000), CoinPaprika's
    /// and CoinMarketCap's free limits; nil: the provider names none.
    func quota(at provider: Provider) -> Int? {
        switch (provider, self) {
        case (.coinGecko, .demo): 10_000
        case (.coinGecko, .pro): 100_000
        case (.coinPaprika, .public): 20_000
        case (.coinMarketCap, .demo): 15_000
        default: nil
        }
    }
}
