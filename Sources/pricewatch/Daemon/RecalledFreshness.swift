import Foundation
import History
import Markets

/// Tells, while recorded polls are recalled, whose price was stale: it counted as unknown then, and so it does now.
struct RecalledFreshness {
    /// By place, in milliseconds.
    private let staleAfter: [Int64]
    private var quotedAt: [Int64]

    init(of markets: [MarketID], _ watchlist: Watchlist) {
        let named = Dictionary(
            watchlist.named.map { ($0.market, $0.staleAfter) }, uniquingKeysWith: { first, _ in first })
        staleAfter = markets.map { (named[$0] ?? watchlist.staleAfter).inMilliseconds }
        quotedAt = Array(repeating: .max, count: markets.count)
    }

    /// The poll with what was stale by then moved to the unknown.
    mutating func judge(_ poll: RecalledPoll) -> RecalledPoll {
        var poll = poll
        let now = poll.fetchedAt.milliseconds
        for sample in poll.samples { quotedAt[sample.market] = sample.quotedAt.milliseconds }
        let stale = quotedAt.indices.filter { quotedAt[$0] != .max && now - quotedAt[$0] > staleAfter[$0] }
        guard !stale.isEmpty else { return poll }
        poll.samples.removeAll { now - $0.quotedAt.milliseconds > staleAfter[$0.market] }
        poll.unknown += Set(stale).subtracting(poll.unknown).sorted()
        return poll
    }
}
