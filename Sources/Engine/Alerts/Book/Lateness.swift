import Foundation
import Markets

extension AlertBook.Moment {
    /// How many whole seconds after the change an announcement comes, where a gap lies before it; else nil.
    ///
    /// A level is known to have been crossed at the healed price from which on it held, or ceased to hold; whatever else
    /// changed did so at some time after the last poll before the gap.
    func lateness(
        of reason: AlertReason, _ condition: AlertRule.Condition?, _ market: MarketID, _ entry: MarketBoard.Entry?,
        in lane: Lane
    ) -> Int? {
        // What the owner did is known to the minute; what the market did may have happened while nobody watched.
        let lane = self[lane]
        guard let watchedUntil = lane.watchedUntil else { return nil }
        let changed: Date?
        switch reason {
        case .firstMet, .firstFiring: changed = changedAt(condition, lane.healed[market], entry) { $0 }
        case .conditionEnded: changed = changedAt(condition, lane.healed[market], entry) { !$0 }
        default: return nil
        }
        return Int(now.since(changed ?? watchedUntil).components.seconds)
    }

    /// The quote from which on the condition stood as it stands now; nil where it is not about a price alone, or nothing
    /// of the market was healed.
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
