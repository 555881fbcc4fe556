import Engine
import Foundation
import Markets

/// The result of one poll for one market.
package struct PolledMarket: Hashable, Sendable {
    /// When the poll's answer was complete.
    package var polledAt: Date
    package var isBackfilled: Bool
    package var finding: Finding

    package enum Finding: Hashable, Sendable {
        /// A new and trusted price.
        case quoted(at: Date, Price)
        /// The provider answered with the price already known.
        case unchanged
        /// No usable price in the answer, or no answer.
        case nothing
    }

    package init(polledAt: Date, isBackfilled: Bool = false, finding: Finding) {
        self.polledAt = polledAt
        self.isBackfilled = isBackfilled
        self.finding = finding
    }
}

extension HistoryReader {
    /// Passes the result of each poll for a market to `body`, oldest first.
    ///
    /// - Parameters:
    ///   - since: Inclusive: by quote time for a price, by poll time for anything else.
    ///   - until: Exclusive.
    ///   - source: The market's current source; polls of other sources are skipped.
    package func polls(
        of market: MarketID, in currency: Currency, since: Date, until: Date, source: SourceID = .shared,
        _ body: (PolledMarket) -> Void
    ) throws(HistoryError) {
        let currencies = MarketCurrencies(currency)
        guard try read({ try !Series.all($0, in: currencies, only: [market]).isEmpty }) else { return }
        // A quote is later than its poll by at most a clock's error and the duration of the poll.
        let from = since - .milliseconds(OpenCandles.slack)
        try play([market], in: currencies, since: from, withBackfilled: true) { cycle in
            for poll in cycle.polls {
                let quote = poll.samples.first(where: \.confirmed)
                let moment = quote?.quotedAt ?? poll.fetchedAt
                guard moment >= since, moment < until, quote != nil || poll.source == source else { continue }
                let isUnusable = !poll.outcome.isUsable || !poll.unusable.isEmpty
                let finding: PolledMarket.Finding =
                    quote.map { .quoted(at: $0.quotedAt, $0.price) } ?? (isUnusable ? .nothing : .unchanged)
                body(PolledMarket(polledAt: poll.fetchedAt, isBackfilled: poll.isBackfilled, finding: finding))
            }
        }
    }
}
