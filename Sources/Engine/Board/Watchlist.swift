import Foundation
import Markets

/// Which markets are watched.
package struct Watchlist: Hashable, Sendable {
    /// Those named in the configuration, in its order.
    package var named: [Item]
    /// How many of the largest markets are watched besides; 0: none.
    package var top: Int
    /// When a market that is watched for its rank counts as stale.
    package var staleness: Staleness
    /// A larger move of such a market from one poll to the next waits for confirmation; nil: none does.
    package var moveLimit: Percent?
    /// The last known ranking, used until the next one.
    package var lastRanking: [MarketID]
    package var currencies: MarketCurrencies

    package struct Item: Hashable, Sendable {
        package var market: MarketID
        package var staleness: Staleness
        /// A larger move from one poll to the next waits for confirmation; nil: none does.
        package var moveLimit: Percent?
        package var source: SourceID
        /// Nil: its price is asked of the source.
        package var portfolio: Portfolio?

        package init(
            market: MarketID, staleness: Staleness, moveLimit: Percent? = nil, source: SourceID = .shared,
            portfolio: Portfolio? = nil
        ) {
            self.market = market
            self.staleness = staleness
            self.moveLimit = moveLimit
            self.source = source
            self.portfolio = portfolio
        }
    }

    package init(
        named: [Item], top: Int, staleness: Staleness, moveLimit: Percent? = nil, lastRanking: [MarketID] = [],
        currencies: MarketCurrencies
    ) {
        self.named = named
        self.top = top
        self.staleness = staleness
        self.moveLimit = moveLimit
        self.lastRanking = lastRanking
        self.currencies = currencies
    }
}

extension Watchlist {
    /// A market that is watched for its rank.
    func ranked(_ market: MarketID) -> Item { Item(market: market, staleness: staleness, moveLimit: moveLimit) }

    /// The markets with a feed of their own; all others are in the shared source.
    package var ownSources: [MarketID: SourceID] {
        Dictionary(
            named.filter { $0.source != .shared }.map { ($0.market, $0.source) },
            uniquingKeysWith: { first, _ in first })
    }
}

/// The watched markets with their currencies, and which of them the configuration names: those are never forgotten.
package struct WatchedMarkets: Hashable, Sendable {
    package var all: [MarketID]
    package var named: [MarketID]
    package var currencies: MarketCurrencies

    package init(_ all: [MarketID], named: [MarketID] = [], currencies: MarketCurrencies) {
        self.all = all
        self.named = named
        self.currencies = currencies
    }
}

extension Watchlist {
    /// The greatest age at which a quote of any of these markets is fresh, at the configured interval, and at most two
    /// hours: what is kept for comparison with a day ago grows with it.
    var oldestFreshQuote: Duration {
        let limits = named.filter { $0.portfolio == nil }.map(\.staleness) + [staleness]
        return min(limits.map { $0.age(at: .zero) }.max() ?? .zero, .hours(2))
    }
}

/// The age beyond which a market's quote is stale.
package struct Staleness: Hashable, Sendable {
    /// The limit at the configured interval.
    package var after: Duration
    /// Not configured explicitly: the limit is at least three times the interval in force.
    package var followsInterval: Bool

    package init(after: Duration, followsInterval: Bool = false) {
        self.after = after
        self.followsInterval = followsInterval
    }

    /// For a portfolio, which is known as long as its parts are.
    package static let never = Staleness(after: .hours(24 * 365 * 100))

    /// - Parameter interval: The time between two polls that is in force; zero: as configured.
    package func age(at interval: Duration) -> Duration {
        // For each market at each poll: `interval * 3` would convert the factor to 128 bits first.
        followsInterval ? max(after, interval + interval + interval) : after
    }
}

/// The source of a market's price. Markets of one source are polled together, at one interval.
package enum SourceID: Hashable, Sendable {
    /// The feeds in order of preference: if one fails, the next serves.
    case shared
    /// This feed alone.
    case own(String)
}
