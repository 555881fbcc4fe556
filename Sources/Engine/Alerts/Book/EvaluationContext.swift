import Foundation
import Markets

extension AlertBook {
    /// The context of one evaluation.
    package struct Context: Sendable {
        let now: Date
        /// Every source that has a market.
        let sources: [SourceID: SourceContext]
        /// The time from the last poll before the daemon's start to the start, in which data does not become stale;
        /// nil: none.
        let downtime: Range<Date>?
        /// Whether any source was answered.
        let isAnswered: Bool

        init(now: Date, sources: [SourceID: SourceContext], downtime: Range<Date>? = nil) {
            self.now = now
            self.sources = sources
            self.downtime = downtime
            isAnswered = sources.values.contains(where: \.answered)
        }

        /// After an answer, where all markets are in the shared source.
        package init(now: Date, interval: Duration) {
            self.init(now: now, sources: [.shared: SourceContext(interval: interval)])
        }

        subscript(source: SourceID) -> SourceContext {
            sources[source] ?? SourceContext(interval: .zero, answered: false)
        }

        /// The age of `date`, without the downtime.
        func age(of date: Date) -> Duration {
            let age = now.since(date)
            guard let downtime, date < downtime.upperBound else { return age }
            return age - downtime.upperBound.since(max(date, downtime.lowerBound))
        }
    }

    /// The context of one source in an evaluation.
    struct SourceContext: Sendable {
        /// The time between two polls that is in force.
        var interval: Duration
        /// The last poll before a gap that this evaluation ends; nil if there was none.
        var watchedUntil: Date?
        /// The prices of that gap that were backfilled before the evaluation, by market, oldest first.
        var backfilled: [MarketID: [PastQuote]] = [:]
        /// Whether a poll was answered. If none was, only rules on the age of the data are evaluated.
        var answered = true
        /// The last usable answer of the provider; if there never was one, when it was first polled.
        var lastUsableAnswer: Date?

        /// Two answers further apart add nothing to the time that `for` counts.
        var longestStep: Duration { interval * 3 }
    }
}

extension AlertBook.Context {
    /// The delay of an announcement in whole seconds if a gap precedes it; else nil.
    ///
    /// For a level, the change is at the backfilled price from which on it held, or ceased to hold. For anything else
    /// it is some time after the last poll before the gap.
    func lateness(
        of reason: AlertReason, _ condition: AlertRule.Condition?, _ market: MarketID, _ entry: MarketBoard.Entry?,
        in source: SourceID
    ) -> Int? {
        // Only changes of the market can be late; those of the configuration are not.
        let holds = reason == .firstMet || reason == .firstFiring
        guard let watchedUntil = self[source].watchedUntil, holds || reason == .conditionEnded else { return nil }
        if let entry {
            // Without a price in this poll its data changed by the clock alone, now. Neither is a market late that was
            // first answered after the gap; a poll takes less than an interval.
            guard entry.isReached, entry.shown != nil, let since = entry.watchedSince,
                since <= watchedUntil + self[source].interval
            else { return nil }
        }
        let changed = changedAt(condition, self[source].backfilled[market], entry, holds: holds)
        return Int(now.since(changed ?? watchedUntil).components.seconds)
    }

    /// The time of the first quote from which on the condition has its present result; nil if it is not about a price
    /// alone, or no price of the market was backfilled.
    private func changedAt(
        _ condition: AlertRule.Condition?, _ quotes: [PastQuote]?, _ entry: MarketBoard.Entry?, holds: Bool
    ) -> Date? {
        guard let condition, condition.window == nil, let quotes, let newest = entry?.shown else { return nil }
        var changed = newest.quotedAt
        for quote in quotes.reversed() {
            guard let isMet = condition.isMet(by: .price(quote.price, among: nil)) else { return nil }
            guard isMet == holds else { break }
            changed = min(changed, quote.quotedAt)
        }
        return changed
    }
}
