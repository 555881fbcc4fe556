import Foundation
import History
import Markets

/// The prices of one market as its polls brought them, and where nothing is known between two of them.
struct PolledPrices {
    struct Quote {
        var at: Date
        var price: Price
        var polledAt: Date
        var isBackfilled: Bool
    }

    /// By quote time.
    let quotes: [Quote]
    /// The places of the quotes before which there is a gap.
    let breaks: [Int]

    /// - Parameters:
    ///   - polls: By time.
    ///   - every: The time between two polls.
    ///   - staleAfter: For so long a price holds while the provider has no newer one.
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
            // Asked all the time, the provider had nothing newer: the price held until it was stale.
            return steps.isFar(index) && after.at.since(before.at) > staleAfter
        }
    }

    /// The polls after which nobody asked for longer than usual.
    private static func pauses(in answers: [Date], every: Duration) -> [Date] {
        let steps = UsualStep(answers, fallback: every)
        return answers.indices.dropFirst().filter { steps.isFar($0) }.map { answers[$0 - 1] }
    }
}

extension [Date] {
    /// Whether one of these moments, which are in order, lies in `range`.
    fileprivate func contains(in range: Range<Date>) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] < range.upperBound
    }
}
