import Engine
import Foundation
import History
import Markets

/// Tells, while recorded polls are recalled, whose price was stale: it counted as unknown then, and so it does now.
struct RecalledFreshness {
    /// By place.
    private let staleness: [Staleness]
    /// By place, in milliseconds.
    private var quotedAt: [Int64]
    private let lanes: [Lane]
    private let settings: CycleSettings

    init(of markets: [MarketID], _ settings: CycleSettings) {
        self.settings = settings
        let watchlist = settings.watchlist
        let named = Dictionary(watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        staleness = markets.map { named[$0]?.staleness ?? watchlist.staleness }
        lanes = markets.map { named[$0]?.lane ?? .shared }
        quotedAt = Array(repeating: .max, count: markets.count)
    }

    /// The poll with what was stale by then moved to the unknown.
    mutating func judge(_ poll: RecalledPoll) -> RecalledPoll {
        // Healed prices are as old as their moment, and say nothing of other markets.
        guard !poll.isHealed else { return poll }
        var poll = poll
        let now = poll.fetchedAt.milliseconds
        for sample in poll.samples { quotedAt[sample.market] = sample.quotedAt.milliseconds }
        let (staleness, interval) = (staleness, poll.interval)
        func staleAfter(_ market: Int) -> Int64 { staleness[market].age(at: interval).inMilliseconds }
        let asked = settings.lanes(of: poll.lane, polled: poll.feed)
        let stale = quotedAt.indices.filter {
            quotedAt[$0] != .max && now - quotedAt[$0] > staleAfter($0) && asked.contains(lanes[$0])
        }
        guard !stale.isEmpty else { return poll }
        poll.samples.removeAll { now - $0.quotedAt.milliseconds > staleAfter($0.market) }
        poll.unknown += Set(stale).subtracting(poll.unknown).sorted()
        return poll
    }
}
