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
        var board = try reader.board(settings)
        var sources: [SourceID: Remembered.Polled] = [:]
        for source in settings.sources.map(\.id) {
            sources[source] = Remembered.Polled(
                last: try reader.lastPoll(of: source), lastUsable: try reader.lastPoll(of: source, usable: true))
            let answers = try reader.answers(in: settings.watchlist.currencies, of: source)
            board.recall(missedAnswers: answers.missed)
            board.recall(heard: answers.heard, of: source)
        }
        var remembered = Remembered(
            board: board,
            alerts: try reader.alertBook(
                remembering: try reader.alerts(), installation: installation, settings, watching: board.markets,
                at: now),
            summary: try reader.rollingSummary(settings, at: now), stored: try size())
        remembered.active = ActiveAlerts(
            try reader.activeEvents(), try reader.alerts(),
            ends: try reader.events(since: now - ActiveAlerts.endsKept).filter { $0.kind == .resolved })
        remembered.sources = sources
        remembered.firstPoll = try reader.firstPoll()
        remembered.lastCycle = try reader.lastCycle()
        remembered.queued = try reader.queuedMessages()
        remembered.notified = try reader.notifiedChannels().mapValues(Set.init)
        remembered.unlogged = try reader.unloggedEvents()
        remembered.lastDigest = try reader.lastDigest()
        remembered.exports = try reader.exports(settings.exports.map(\.name))
        remembered.fault = fault?.description
        return remembered
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
        var known = try newest(in: watchlist.currencies, of: wanted)
        let edited = try edited(watchlist, newest: known)
        for market in edited { known[market] = nil }
        var board = MarketBoard(watching: watchlist, remembering: known, edited: edited)
        for source in settings.sources.map(\.id) {
            if let interval = try lastInterval(of: source) { board.setInterval(interval, of: source) }
        }
        return board
    }

    /// The markets whose newest recorded price is not of their present amounts.
    private func edited(
        _ watchlist: Watchlist, newest: [MarketID: MarketBoard.Remembered]
    ) throws(HistoryError) -> Set<MarketID> {
        var amounts: [MarketID: String] = [:]
        for item in watchlist.named { amounts[item.market] = item.portfolio?.amounts }
        return try read { db in
            let recorded = try ComputedSeries.all(db)
            guard !amounts.isEmpty || !recorded.isEmpty else { return [] }
            let edited = try Series.all(db, in: watchlist.currencies).filter { series in
                guard newest[series.names.market] != nil || recorded[series.id] != nil else { return false }
                return recorded[series.id]?.amounts ?? "" != amounts[series.names.market] ?? ""
            }
            return Set(edited.map(\.names.market))
        }
    }
}

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
        var book = AlertBook(settings, remembering: alerts, installation: installation)
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
        var recalled = RecalledMarkets(markets, settings.watchlist)
        try play(
            markets, in: settings.watchlist.currencies, since: since, until: until, withBackfilled: true,
            ofPresentAmounts: true
        ) { cycle in
            recalled.change(cycle.watchChanges)
            for poll in cycle.polls where poll.outcome.isUsable {
                if poll.isBackfilled {
                    book.recall(backfilled: recalled.samples(of: poll), of: markets)
                } else {
                    let (samples, unknown) = recalled.evaluate(poll)
                    book.recall(
                        poll: poll.fetchedAt, source: poll.source, interval: poll.interval, samples: samples,
                        unknown: unknown, of: markets)
                }
            }
        }
    }
}

/// What the rules knew of markets at recorded polls. Where the price was stale a market was not watched, as it was when
/// it was live.
private struct RecalledMarkets {
    typealias Sample = (market: Int, quotedAt: Date, price: Price)

    /// By market place.
    private let staleness: [Staleness]
    /// By market place, in milliseconds; `Int64.max` where no price was recalled.
    private var quotedAt: [Int64]
    /// By market place.
    private let sources: [SourceID]
    private var unwatched: Set<Int> = []
    /// By market place: the price of a large move that a later poll confirmed.
    private var unconfirmed: [Int: Sample] = [:]

    init(_ markets: [MarketID], _ watchlist: Watchlist) {
        let named = Dictionary(watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        staleness = markets.map { named[$0]?.staleness ?? watchlist.staleness }
        sources = markets.map { named[$0]?.source ?? .shared }
        quotedAt = Array(repeating: .max, count: markets.count)
    }

    mutating func change(_ changes: [(market: Int, isWatched: Bool)]) {
        for change in changes {
            if change.isWatched { unwatched.remove(change.market) } else { unwatched.insert(change.market) }
        }
    }

    /// The trusted prices of a poll.
    func samples(of poll: RecordedPoll) -> [Sample] {
        poll.samples.filter(\.confirmed).map { ($0.market, $0.quotedAt, $0.price) }
    }

    /// The prices that a poll confirmed and its own, and the markets whose price was stale or unknown.
    mutating func evaluate(_ poll: RecordedPoll) -> (samples: [Sample], unknown: [Int]) {
        let confirmed = takeConfirmed(by: poll)
        let doubted = Set(poll.unknown.filter { $0.reason == .unconfirmed }.map(\.market))
        var samples = samples(of: poll)
        for sample in samples where doubted.contains(sample.market) { unconfirmed[sample.market] = sample }
        samples.removeAll { doubted.contains($0.market) }
        samples = confirmed + samples
        for sample in samples { quotedAt[sample.market] = sample.quotedAt.milliseconds }
        let now = poll.fetchedAt.milliseconds
        let (quotedAt, staleness) = (quotedAt, staleness)
        func isStale(_ market: Int) -> Bool {
            now - quotedAt[market] > staleness[market].age(at: poll.interval).inMilliseconds
        }
        let stale = quotedAt.indices.filter { sources[$0] == poll.source && isStale($0) }
        return (samples, unwatched.union(poll.unusable).union(stale).sorted())
    }

    /// A new price confirms the one before or not, and an old one is trusted once it is repeated for long enough.
    private mutating func takeConfirmed(by poll: RecordedPoll) -> [Sample] {
        guard !unconfirmed.isEmpty else { return [] }
        let undecided = unwatched.union(poll.unknown.map(\.market)).subtracting(poll.samples.map(\.market))
        let decided = unconfirmed.filter { sources[$0.key] == poll.source && !undecided.contains($0.key) }
        for market in decided.keys { unconfirmed[market] = nil }
        return Array(decided.values)
    }
}

extension HistoryReader {
    /// The rolling summary of the last 24 hours, or of another window, rebuilt from the history. Where samples at the
    /// far end of the window were pruned, hourly candles replace them.
    package func rollingSummary(
        _ settings: Settings, window: Duration = .hours(24), at now: Date
    ) throws(HistoryError) -> RollingSummary {
        var summary = RollingSummary(settings, window: window, now: now)
        summary.firstPoll = try firstPoll()
        let start = now - window
        let oldest = try oldestPoll() ?? now
        let isCut = try wasPruned()
        let prices =
            isCut && oldest > start ? try candles(with: settings, since: start, until: oldest, now, &summary) : []
        for source in settings.sources.map(\.id) {
            // A poll from before the window may cover its beginning.
            for (poll, interval) in try usablePolls(since: now - window * 2, of: source) {
                summary.cover(source, at: poll, interval: interval)
            }
        }
        if let polled = summary.pastNeeded(until: now, now: now) {
            summary.add(
                past: try pastPrices(in: settings.watchlist.currencies, polledIn: polled),
                polledBefore: polled.upperBound)
        }
        // Candles do not show which polls have been read.
        summary.add(past: prices, polledBefore: .distantPast)
        return summary
    }

    /// Counts an hour as covered if it has a candle of the source's markets. A candle contributes its open at the start
    /// of the hour, and its close at the end.
    private func candles(
        with settings: Settings, since: Date, until: Date, _ now: Date, _ summary: inout RollingSummary
    ) throws(HistoryError) -> [PastPrice] {
        let own = settings.watchlist.ownSources
        let span = summary.span(at: now)
        var hours: [SourceID: Set<Date>] = [:]
        var prices: [PastPrice] = []
        let end = max(until, span.upperBound)
        try hourlyCandles(in: settings.watchlist.currencies, since: span.lowerBound - .hours(1), until: end) {
            market, candle in
            if candle.start < until { hours[own[market] ?? .shared, default: []].insert(candle.start) }
            guard candle.start < span.upperBound else { return }
            prices.append(PastPrice(market, quotedAt: candle.start, price: candle.open))
            let close = candle.start + .hours(1) - .milliseconds(1)
            prices.append(PastPrice(market, quotedAt: close, price: candle.close))
        }
        for (source, coverage) in summary.coverages {
            let step = min(coverage.longestStep, .hours(1))
            for hour in (hours[source] ?? []).sorted() where hour + .hours(1) > since {
                for moment in stride(from: hour, through: min(hour + .hours(1), until), by: step.inSeconds) {
                    summary.cover(source, at: moment)
                }
            }
        }
        return prices
    }
}
