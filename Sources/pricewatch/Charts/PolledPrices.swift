import Foundation
import History
import Markets

/// The polled prices of one market, and the gaps between them.
struct PolledPrices {
    struct Quote {
        var at: Date
        var price: Price
        var polledAt: Date
        var isBackfilled: Bool
    }

    /// By quote time.
    let quotes: [Quote]
    /// The indices of the quotes that follow a gap.
    let breaks: [Int]

    /// - Parameters:
    ///   - polls: By time.
    ///   - every: The time between two polls.
    ///   - staleAfter: How long a price is valid while the provider has no newer one.
    init(_ polls: [PolledMarket], every: Duration, staleAfter: Duration) {
        var quotes: [Quote] = []
        var answers: [Date] = []
        var failures: [Date] = []
        for poll in polls {
            switch poll.finding {
            case .quoted(let at, let price):
                quotes.append(
                    Quote(at: at, price: price, polledAt: poll.polledAt, isBackfilled: poll.isBackfilled))
            case .unchanged: break
            case .nothing:
                failures.append(poll.polledAt)
                continue
            }
            if !poll.isBackfilled { answers.append(poll.polledAt) }
        }
        quotes.sort { ($0.at, $0.polledAt) < ($1.at, $1.polledAt) }
        self.quotes = quotes
        let steps = UsualStep(quotes.map(\.at), fallback: every)
        let pauses = Self.pauses(in: answers, every: every)
        breaks = quotes.indices.dropFirst().filter { index in
            let (before, after) = (quotes[index - 1], quotes[index])
            if before.isBackfilled || after.isBackfilled { return steps.isFar(index) }
            let between = before.polledAt..<max(before.polledAt, after.polledAt)
            if failures.contains(in: between) || pauses.contains(in: between) { return true }
            // While polls continued without a newer quote, the price is valid until it is stale.
            return steps.isFar(index) && after.at.since(before.at) > staleAfter
        }
    }

    /// The polls that were followed by a longer pause than usual.
    private static func pauses(in answers: [Date], every: Duration) -> [Date] {
        let steps = UsualStep(answers, fallback: every)
        return answers.indices.dropFirst().filter { steps.isFar($0) }.map { answers[$0 - 1] }
    }
}

extension [Date] {
    /// Whether one of these sorted times is in `range`.
    fileprivate func contains(in range: Range<Date>) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] < range.upperBound
    }
}
