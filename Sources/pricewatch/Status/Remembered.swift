import Engine
import Foundation
import History
import Markets

extension MarketBoard {
    /// The board as the history knows it, for commands that ask while the daemon polls or is down.
    ///
    /// - Parameter onlyWatched: True for a question, false for the daemon, to which markets may come back.
    init(
        remembering reader: HistoryReader, _ settings: CycleSettings, onlyWatched: Bool = false
    ) throws(HistoryError) {
        var watchlist = settings.watchlist
        watchlist.lastRanking = try reader.ranking()
        let wanted = onlyWatched ? Set(watchlist.named.map(\.market) + watchlist.lastRanking) : nil
        self.init(watching: watchlist, remembering: try reader.newest(in: settings.currency, of: wanted))
    }
}

extension MarketReport {
    /// A report over any window, from what is recorded alone.
    init(recordedIn reader: HistoryReader, _ configuration: Configuration, window: Window, now: Date)
        throws(HistoryError)
    {
        let settings = CycleSettings(configuration, host: "", startedAt: now)
        let board = try MarketBoard(remembering: reader, settings, onlyWatched: true)
        let view = try WindowView(reader, settings, window: window.length, now: now)
        let changes = board.entries.map { view.change(of: $0, at: now) }
        self.init(
            window: window, at: now, currency: settings.currency, summary: view.summary(of: board, changes, at: now),
            changes: changes.compactMap { $0?.percent },
            notFresh: board.entries.filter { $0.state(at: now) != .fresh }.map {
                ($0.market.text, $0.state(at: now).rawValue)
            })
        try addAlerts(of: reader)
    }

    /// What the daemon says of the last 24 hours; nil where its status has no summary.
    init?(_ status: StatusDocument, in currency: Currency, window: Window, now: Date) {
        guard let summary = status.summary else { return nil }
        let markets = status.markets ?? []
        self.init(
            window: window, at: now, currency: currency, summary: summary,
            changes: markets.compactMap(\.change),
            notFresh: markets.filter { $0.state != "fresh" }.map { ($0.market, $0.state) })
    }

    mutating func addAlerts(of reader: HistoryReader) throws(HistoryError) {
        events = try reader.events(since: at - window.length)
        firing = StandingAlerts(try reader.standingEvents()).firing
    }
}

extension StatusReport {
    /// What the history alone can say while no daemon has left a status: who is watched, and the last prices.
    init(remembering reader: HistoryReader, _ configuration: Configuration, now: Date) throws(HistoryError) {
        let settings = CycleSettings(configuration, host: "", startedAt: now)
        let board = try MarketBoard(remembering: reader, settings, onlyWatched: true)
        let day = try WindowView(reader, settings, now: now)
        let changes = board.entries.map { day.change(of: $0, at: now) }
        let size = try reader.size()
        self.init(
            state: .stopped, writtenAt: try reader.lastPoll() ?? now, interval: settings.every,
            summary: day.summary(of: board, changes, at: now),
            history: Stored(database: reader.path, bytes: size.bytes, samples: size.samples, oldestAt: size.oldestAt))
        list(board, changes, currency: settings.currency, at: now)
        let standing = StandingAlerts(try reader.standingEvents())
        firing = standing.firing
        pending = standing.pending
        silences = try reader.silences().filter { $0.until > now }
        outbox.size = try reader.outboxSize()
    }
}
