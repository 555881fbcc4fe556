import Engine
import Feeds
import Foundation
import History
import Markets

/// The feed that backfills one market.
struct PastSource: Sendable {
    let feed: Feed
    let entry: Watch.Entry
    let source: SourceID
    /// The interval of the market's source.
    let every: Duration
    /// The time between two requests to the feed.
    let pause: Duration
    /// Requests a month to the feed; nil: no known limit.
    let quota: Int?

    var market: MarketID { entry.market }
}

extension Configuration {
    /// The first feed that offers historical prices of each market; markets without one are omitted. A market with a
    /// `feed` of its own has only that one.
    func pastSources(of markets: [Market], among feeds: [Feeds.Feed]) -> [PastSource] {
        markets.compactMap { market in
            let able = self.feeds.filter { market.feed == nil || market.feed == $0.name }
            for settings in able {
                guard let name = name(of: market, at: settings),
                    let feed = feeds.first(where: { $0.name == settings.name }), feed.offersPast
                else { continue }
                return PastSource(
                    feed: feed, entry: Markets.Watch.Entry(market.id, providerID: name), source: source(of: market),
                    every: every(of: able[0]), pause: settings.pastPause, quota: settings.monthlyQuota)
            }
            return nil
        }
    }
}

/// The requests that fill the gaps: newest gaps first, then markets in the order of the configuration.
struct BackfillPlan: Sendable {
    /// One request.
    struct Step: Sendable {
        let source: PastSource
        let page: PastPage
        /// The gaps that the answer may fill.
        let holes: Holes
    }

    private(set) var steps: [Step] = []

    /// Gaps that no request can fill are omitted: out of reach, or shorter than the step of the provider's prices.
    init(_ holes: [MarketID: Holes], _ sources: [PastSource], in currencies: MarketCurrencies, now: Date) {
        for source in sources {
            var left = holes[source.market] ?? Holes()
            while let extent = left.extent,
                let page = source.feed.pastPage(of: source.entry, in: currencies[source.market], extent, now: now)
            {
                var filled = left.within(page.span)
                filled.forget(upTo: page.step)
                if !filled.isEmpty { steps.append(Step(source: source, page: page, holes: filled)) }
                left.remove([page.span])
            }
        }
        let order = steps.enumerated().sorted { (Self.end($1.element), $0.offset) < (Self.end($0.element), $1.offset) }
        steps = order.map(\.element)
    }

    /// The hour in which its newest gap ends: one outage may end seconds apart for different markets.
    private static func end(_ step: Step) -> Int64 {
        (step.holes.extent?.upperBound.milliseconds ?? 0) / Duration.hours(1).inMilliseconds
    }

    /// A source of each feed that is asked, in the order of their first request.
    var sources: [PastSource] {
        var seen: Set<String> = []
        return steps.map(\.source).filter { seen.insert($0.feed.name).inserted }
    }
}
