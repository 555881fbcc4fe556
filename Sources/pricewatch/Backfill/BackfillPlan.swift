import Engine
import Feeds
import Foundation
import Markets

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
    init(_ holes: [MarketID: Holes], _ sources: [PastSource], in currency: Currency, now: Date) {
        for source in sources {
            var left = holes[source.market] ?? Holes()
            while let extent = left.extent,
                let page = source.feed.pastPage(of: source.entry, in: currency, extent, now: now)
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

    /// The number of requests for each feed, in the order of their first request.
    var requests: [(feed: Feed, count: Int)] {
        var counts: [(feed: Feed, count: Int)] = []
        for step in steps {
            if let place = counts.firstIndex(where: { $0.feed === step.source.feed }) {
                counts[place].count += 1
            } else {
                counts.append((step.source.feed, 1))
            }
        }
        return counts
    }
}
