import Engine
import Foundation
import Markets

/// What was healed of one feed's markets.
struct Healed: Hashable, Sendable {
    let feed: String
    /// Those of which something new came.
    private(set) var markets: Set<MarketID> = []
    private(set) var samples = 0
    /// Answers about the past, also those that held nothing new.
    private(set) var answers = 0
    /// What was asked for and answered, from the oldest hole to the newest.
    private(set) var span: Range<Date>?

    init(feed: String) { self.feed = feed }

    mutating func add(_ market: MarketID, _ new: Int, _ holes: Holes) {
        answers += 1
        samples += new
        if new > 0 { markets.insert(market) }
        guard let extent = holes.extent else { return }
        span =
            min(
                span?.lowerBound ?? extent.lowerBound, extent.lowerBound)..<max(
                span?.upperBound ?? extent.upperBound, extent.upperBound)
    }
}
