import Engine
import Foundation
import Markets

extension HistoryReader {
    /// The rules with their alert states, the silences, and the past prices that their windows need.
    ///
    /// - Parameters:
    ///   - installation: See `HistoryWriter.installation`.
    ///   - markets: the watched markets.
    package func alertBook(
        remembering alerts: [AlertKey: Alert], installation: String, _ settings: Settings,
        watching markets: [MarketID], at now: Date
    ) throws(HistoryError) -> AlertBook {
        var book = AlertBook(
            rules: settings.rules, remembering: alerts,
            identity: AlertBook.Identity(
                installation: installation, host: settings.host, currency: settings.currency),
            every: settings.every(of: .shared), sources: settings.ownSources)
        book.silences = try silences()
        try recall(into: &book, settings, watching: markets, at: now)
        return book
    }

    /// Fills the windows of the rules. The far past is read only for the markets whose rules look back that far.
    package func recall(
        into book: inout AlertBook, _ settings: Settings, watching markets: [MarketID], at now: Date
    ) throws(HistoryError) {
        let lookbacks = book.lookbacks(on: markets)
        guard let longest = lookbacks.values.max() else { return }
        // A quote may be minutes older than its poll, and the hour at the edge counts whole.
        let border = now - min(longest, AlertBook.recalledExactly) - .hours(1)
        if longest > AlertBook.recalledExactly {
            let far = lookbacks.filter { $0.value > AlertBook.recalledExactly }.map(\.key).sorted()
            try recall(far, into: &book, settings, since: now - longest - .hours(1), until: border)
        }
        try recall(lookbacks.keys.sorted(), into: &book, settings, since: border, until: .distantFuture)
    }

    private func recall(
        _ markets: [MarketID], into book: inout AlertBook, _ settings: Settings, since: Date, until: Date
    ) throws(HistoryError) {
        var freshness = RecalledFreshness(of: markets, settings.watchlist)
        try recall(markets, in: settings.currency, since: since, until: until) { poll in
            if poll.isBackfilled { return book.recall(backfilled: poll.samples, of: markets) }
            let poll = freshness.judge(poll)
            book.recall(
                poll: poll.fetchedAt, source: poll.source, interval: poll.interval, samples: poll.samples,
                unknown: poll.unknown, of: markets)
        }
    }
}

/// Marks stale prices while recorded polls are recalled, so that they count as unknown, as they did when they were
/// live.
private struct RecalledFreshness {
    /// By market place.
    private let staleness: [Staleness]
    /// By market place, in milliseconds; `Int64.max` where no price was recalled.
    private var quotedAt: [Int64]
    /// By market place.
    private let sources: [SourceID]

    init(of markets: [MarketID], _ watchlist: Watchlist) {
        let named = Dictionary(watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        staleness = markets.map { named[$0]?.staleness ?? watchlist.staleness }
        sources = markets.map { named[$0]?.source ?? .shared }
        quotedAt = Array(repeating: .max, count: markets.count)
    }

    /// The poll, with its stale markets added to the unknown ones.
    mutating func judge(_ poll: RecalledPoll) -> RecalledPoll {
        var poll = poll
        let now = poll.fetchedAt.milliseconds
        for sample in poll.samples { quotedAt[sample.market] = sample.quotedAt.milliseconds }
        let (staleness, interval) = (staleness, poll.interval)
        func staleAfter(_ market: Int) -> Int64 { staleness[market].age(at: interval).inMilliseconds }
        let stale = quotedAt.indices.filter {
            quotedAt[$0] != .max && now - quotedAt[$0] > staleAfter($0) && sources[$0] == poll.source
        }
        guard !stale.isEmpty else { return poll }
        poll.samples.removeAll { now - $0.quotedAt.milliseconds > staleAfter($0.market) }
        poll.unknown += Set(stale).subtracting(poll.unknown).sorted()
        return poll
    }
}
