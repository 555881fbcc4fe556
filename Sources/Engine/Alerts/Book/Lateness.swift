import Foundation
import Markets

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
        let source = self[source]
        guard let watchedUntil = source.watchedUntil else { return nil }
        let changed: Date?
        switch reason {
        case .firstMet, .firstFiring: changed = changedAt(condition, source.backfilled[market], entry) { $0 }
        case .conditionEnded: changed = changedAt(condition, source.backfilled[market], entry) { !$0 }
        default: return nil
        }
        return Int(now.since(changed ?? watchedUntil).components.seconds)
    }

    /// The time of the first quote from which on the condition has its present result; nil if it is not about a price
    /// alone, or no price of the market was backfilled.
    private func changedAt(
        _ condition: AlertRule.Condition?, _ quotes: [PastQuote]?, _ entry: MarketBoard.Entry?, _ stands: (Bool) -> Bool
    ) -> Date? {
        guard let condition, condition.window == nil, let quotes, let newest = entry?.shown else {
            return nil
        }
        var changed = newest.quotedAt
        for quote in quotes.reversed() {
            guard let isMet = condition.isMet(by: .price(quote.price, among: nil)) else { return nil }
            guard stands(isMet) else { break }
            changed = min(changed, quote.quotedAt)
        }
        return changed
    }
}
