import Engine
import Foundation
import Markets

extension HistoryWriter {
    /// The state that an engine starts from.
    ///
    /// A database found to be damaged while reading is quarantined.
    package func load(_ settings: Settings, at now: Date) throws(HistoryError) -> Remembered {
        do {
            return try remembered(settings, at: now)
        } catch  where error.kind == .corrupt {
            try replace(damagedBy: error)
            return try remembered(settings, at: now)
        }
    }

    private func remembered(_ settings: Settings, at now: Date) throws(HistoryError) -> Remembered {
        let board = try reader.board(recalling: settings)
        var sources: [SourceID: Remembered.Polled] = [:]
        for source in settings.sources.map(\.id) {
            sources[source] = Remembered.Polled(
                last: try reader.lastPoll(of: source), lastUsable: try reader.lastUsablePoll(of: source))
        }
        return Remembered(
            board: board,
            alerts: try reader.alertBook(
                remembering: try reader.alerts(), installation: installation, settings, watching: board.markets,
                at: now),
            summary: try reader.rollingSummary(settings, at: now),
            active: ActiveAlerts(try reader.activeEvents()), sources: sources, firstPoll: try reader.firstPoll(),
            lastCycle: try reader.lastCycle(), queued: try reader.queuedMessages(),
            notified: try reader.notifiedChannels().mapValues(Set.init), unlogged: try reader.unloggedEvents(),
            lastDigest: try reader.lastDigest(), stored: try size(), fault: fault?.description)
    }
}

extension HistoryReader {
    /// The watched markets with their newest trusted prices.
    ///
    /// - Parameter onlyWatched: true for commands. False for the daemon: a market may return to the ranking, and its
    ///   last price is needed then.
    package func board(_ settings: Settings, onlyWatched: Bool = false) throws(HistoryError) -> MarketBoard {
        var watchlist = settings.watchlist
        watchlist.lastRanking = try ranking()
        let wanted = onlyWatched ? Set(watchlist.named.map(\.market) + watchlist.lastRanking) : nil
        return MarketBoard(watching: watchlist, remembering: try newest(in: settings.currency, of: wanted))
    }

    /// The same board, with each source's latest answers about its markets.
    fileprivate func board(recalling settings: Settings) throws(HistoryError) -> MarketBoard {
        var board = try board(settings)
        for source in settings.sources.map(\.id) {
            board.recall(missedAnswers: try missedAnswers(in: settings.currency, of: source))
            board.recall(heard: try lastHeard(in: settings.currency, of: source), of: source)
        }
        return board
    }
}
