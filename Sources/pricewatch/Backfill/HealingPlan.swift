import Engine
import Feeds
import Foundation
import Markets

/// Which questions heal which holes: the newest holes first, then the markets in the order of the configuration.
struct HealingPlan: Sendable {
    /// One question.
    struct Step: Sendable {
        let source: PastSource
        let page: PastPage
        /// What its answer may fill.
        let holes: Holes
    }

    private(set) var steps: [Step] = []

    /// What no question can fill is left out: it lies out of reach, or between two prices of the provider's past.
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

    /// The hour in which its newest hole ends: what one gap left of several markets may end seconds apart.
    private static func end(_ step: Step) -> Int64 {
        (step.holes.extent?.upperBound.milliseconds ?? 0) / Duration.hours(1).inMilliseconds
    }

    /// How many questions each feed is to be asked, in the order in which they are first asked.
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
