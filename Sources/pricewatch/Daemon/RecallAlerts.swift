import Engine
import Foundation
import History
import Markets

extension AlertBook {
    /// The rules as they stood when the daemon last ran, with the past that their windows ask for.
    init(
        remembering alerts: [AlertKey: Alert], _ history: HistoryWriter, _ settings: CycleSettings,
        watching markets: [MarketID], now: Date
    ) throws(HistoryError) {
        self.init(
            rules: settings.rules, remembering: alerts,
            identity: Identity(installation: history.installation, host: settings.host, currency: settings.currency),
            every: settings.every(of: .shared), lanes: settings.ownLanes)
        silences = try history.reader.silences()
        try recall(from: history.reader, settings, watching: markets, now: now)
    }

    /// Rebuilds what the windows knew. The far past is read of the few markets whose rules look back so far.
    ///
    /// - Parameter turn: As it was before the turn of this number; nil: as it is now.
    mutating func recall(
        from reader: HistoryReader, _ settings: CycleSettings, watching markets: [MarketID], now: Date,
        recordedBefore turn: Int64? = nil
    ) throws(HistoryError) {
        let lookbacks = lookbacks(on: markets)
        guard let longest = lookbacks.values.max() else { return }
        // A quote may be some minutes older than the poll that brought it, and the hour at the edge counts whole.
        let border = now - min(longest, Self.recalledExactly) - .hours(1)
        var book = self
        if longest > Self.recalledExactly {
            let far = lookbacks.filter { $0.value > Self.recalledExactly }.map(\.key).sorted()
            var freshness = RecalledFreshness(of: far, settings)
            try reader.recall(
                far, in: settings.currency, since: now - longest - .hours(1), until: border, recordedBefore: turn
            ) { poll in
                let poll = freshness.judge(poll)
                book.recall(poll, settings, of: far)
            }
        }
        let near = lookbacks.keys.sorted()
        var freshness = RecalledFreshness(of: near, settings)
        try reader.recall(near, in: settings.currency, since: border, recordedBefore: turn) { poll in
            let poll = freshness.judge(poll)
            book.recall(poll, settings, of: near)
        }
        self = book
    }

    private mutating func recall(_ poll: RecalledPoll, _ settings: CycleSettings, of markets: [MarketID]) {
        if poll.isHealed { return recall(healed: poll.samples, of: markets) }
        recall(
            poll: poll.fetchedAt, lanes: settings.lanes(of: poll.lane, polled: poll.feed), interval: poll.interval,
            samples: poll.samples, unknown: poll.unknown, of: markets)
    }
}
