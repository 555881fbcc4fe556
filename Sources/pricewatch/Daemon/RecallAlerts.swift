import Foundation
import History
import Markets

extension AlertBook {
    /// The rules as they stood when the daemon last ran, with the past that their windows ask for.
    init(
        remembering history: HistoryWriter, _ settings: CycleSettings, watching markets: [MarketID], now: Date
    ) throws(HistoryError) {
        self.init(
            rules: settings.rules, remembering: try history.reader.alerts(),
            identity: Identity(installation: history.installation, host: settings.host, currency: settings.currency),
            every: settings.every)
        silences = try history.reader.silences()
        guard let lookback else { return }
        var book = self
        // A quote may be some minutes older than the poll that brought it, and the hour at the edge counts whole.
        try history.reader.recall(markets, in: settings.currency, since: now - lookback - .hours(1)) { poll in
            book.recall(poll: poll.fetchedAt, samples: poll.samples, unknown: poll.unknown, of: markets)
        }
        self = book
    }
}
