import Engine
import Foundation
import History
import Markets

extension MarketReport {
    /// A report over any window, from the history alone.
    init(recordedIn reader: HistoryReader, _ configuration: Configuration, window: Window, now: Date)
        throws(HistoryError)
    {
        let settings = Settings(configuration, host: "")
        let board = try reader.board(settings, onlyWatched: true)
        let view = try reader.rollingSummary(settings, window: window.length, at: now)
        let changes = board.entries.map { view.change(of: $0, at: now) }
        self.init(
            window: window, at: now, currency: settings.currency, summary: view.summary(of: board, changes, at: now),
            changes: changes.compactMap { $0?.percent },
            notFresh: board.entries.filter { $0.state(at: now) != .fresh }.map {
                ($0.market.text, $0.state(at: now).rawValue)
            })
        try addAlerts(of: reader)
    }

    /// The summary of the last 24 hours from the daemon's status; nil if that has none.
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
        firing = ActiveAlerts(try reader.activeEvents()).firing
    }
}

extension StatusReport {
    /// The status from the history alone, if no daemon has written one: the watched markets and their last prices.
    init(remembering reader: HistoryReader, _ configuration: Configuration, now: Date) throws(HistoryError) {
        let settings = Settings(configuration, host: "")
        let board = try reader.board(settings, onlyWatched: true)
        let day = try reader.rollingSummary(settings, at: now)
        let changes = board.entries.map { day.change(of: $0, at: now) }
        let size = try reader.size()
        self.init(
            state: .stopped, writtenAt: try reader.lastPoll() ?? now, interval: settings.every,
            summary: day.summary(of: board, changes, at: now),
            history: StoredHistory(
                database: reader.path, bytes: size.bytes, samples: size.samples, oldestAt: size.oldestAt))
        list(board, changes, currency: settings.currency, at: now)
        let active = ActiveAlerts(try reader.activeEvents())
        firing = active.firing
        pending = active.pending
        silences = try reader.silences().filter { $0.until > now }
        outbox = try reader.outboxSize()
    }
}
