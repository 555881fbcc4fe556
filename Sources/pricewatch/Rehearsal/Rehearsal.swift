import Engine
import Foundation
import History
import Markets

/// Plays recorded polls through rules, with the same engine as the daemon.
struct Rehearsal {
    private(set) var engine: Engine
    private let currencies: MarketCurrencies
    /// The recorded markets.
    private let names: [HistoryReader.Name]
    private let items: [Watchlist.Item]
    /// Computed from recorded prices of their parts, as long as these were watched.
    private let portfolios: [Watchlist.Item]
    /// By index, the source of each market.
    private let sources: [SourceID]
    /// By index, the newest recorded quote, confirmed or not.
    private var newest: [(quotedAt: Date, price: Price)?]
    /// The indices of the watched markets.
    private var watched: [Int] = []
    /// The indices of markets with backfilled prices from before they were watched. Until then no poll asks for them.
    private var notYetWatched: Set<Int> = []

    /// - Parameters:
    ///   - names: The markets of the recorded cycles.
    ///   - settings: The settings of the configuration to try, with the rules to rehearse.
    init(_ names: [HistoryReader.Name], _ settings: Settings, since: Date) {
        let watchlist = settings.watchlist
        let named = Dictionary(watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        self.names = names
        currencies = watchlist.currencies
        items = names.map {
            named[$0.market]
                ?? Watchlist.Item(market: $0.market, staleness: watchlist.staleness, moveLimit: watchlist.moveLimit)
        }
        portfolios = watchlist.named.filter { $0.portfolio != nil }
        sources = items.map(\.source)
        newest = Array(repeating: nil, count: names.count)
        var remembered = Remembered(
            board: MarketBoard(
                watching: Watchlist(named: [], top: 0, staleness: .init(after: .zero), currencies: currencies)),
            alerts: AlertBook(settings, installation: ""), summary: RollingSummary(settings, now: since),
            stored: StoredHistory(database: ""))
        remembered.firstPoll = since
        engine = Engine(
            settings, remembering: remembered, at: Moment(wall: since, uptime: .zero, awake: .zero))
    }

    /// The markets with at least one recorded price, and the portfolios with a value.
    var seen: Set<MarketID> {
        Set(names.indices.filter { newest[$0] != nil }.map { names[$0].market })
            .union(portfolios.map(\.market).filter { engine.board[$0]?.newest != nil })
    }

    /// Plays one cycle and returns the events of the rules.
    mutating func play(_ cycle: RecordedCycle) -> [AlertEvent] {
        if !cycle.watchChanges.isEmpty {
            var next = Set(watched)
            for change in cycle.watchChanges {
                if change.isWatched { next.insert(change.market) } else { next.remove(change.market) }
            }
            watched = next.sorted()
            notYetWatched.subtract(next)
            watch()
        }
        guard let first = cycle.polls.first else { return engine.playIdleCycle(at: cycle.at) }
        if first.isBackfilled {
            return play(backfilled: cycle.polls.flatMap(\.samples), from: first.feed, at: cycle.at)
        }
        // Rules were not evaluated while the clock was wrong.
        let answers = cycle.polls.filter { $0.error != "clock" }.map {
            (source: $0.source, result: result(of: $0), interval: $0.interval)
        }
        return engine.play(answers, at: cycle.at)
    }

    mutating func forgetLatches() { engine.forgetLatches() }

    private mutating func play(
        backfilled samples: [RecordedPoll.Sample], from feed: String, at moment: Date
    ) -> [AlertEvent] {
        let new = Set(samples.map(\.market)).subtracting(watched).subtracting(notYetWatched)
        if !new.isEmpty {
            notYetWatched.formUnion(new)
            watch()
        }
        var quotes: [Quote] = []
        for sample in samples where newest[sample.market].map({ $0.quotedAt < sample.quotedAt }) ?? true {
            newest[sample.market] = (sample.quotedAt, sample.price)
            quotes.append(quote(sample.market, sample.price, at: sample.quotedAt))
        }
        return engine.play(backfilled: quotes, from: feed, at: moment)
    }

    private func quote(_ place: Int, _ price: Price, at quotedAt: Date) -> Quote {
        Quote(
            market: names[place].market, symbol: names[place].symbol, name: names[place].name,
            currency: currencies[names[place].market], price: price, quotedAt: quotedAt)
    }

    private mutating func watch() {
        let waiting = notYetWatched.sorted().map { place in
            var item = items[place]
            // A source without polls.
            item.source = .own("")
            return item
        }
        engine.watch(
            Watchlist(
                named: watched.map { items[$0] } + portfolios + waiting, top: 0, staleness: .init(after: .zero),
                currencies: currencies))
    }

    /// The answer of a recorded poll; a failure if it had none. A poll without a usable price is still an answer if it
    /// records a reason for each market.
    private mutating func result(of poll: RecordedPoll) -> PollResult {
        guard poll.outcome.isUsable || !poll.unknown.isEmpty else {
            let error = PollError(poll.error.flatMap(PollError.Kind.init) ?? .empty, message: "", isRetryable: true)
            return PollResult(feed: poll.feed, .failed(error))
        }
        var reasons = Dictionary(poll.unknown.map { ($0.market, $0.reason) }, uniquingKeysWith: { first, _ in first })
        for sample in poll.samples {
            newest[sample.market] = (sample.quotedAt, sample.price)
            reasons[sample.market] = nil
        }
        var answer = Answer(fetchedAt: poll.fetchedAt)
        answer.quotes.reserveCapacity(watched.count)
        for place in watched where sources[place] == poll.source {
            switch (reasons[place], newest[place]) {
            case (nil, let newest?): answer.quotes.append(quote(place, newest.price, at: newest.quotedAt))
            case (.oldQuote, let newest?), (.unconfirmed, let newest?):
                // Of a quote that was too old only the poll's time is recorded: any time before the newest is too old.
                answer.quotes.append(quote(place, newest.price, at: newest.quotedAt - .milliseconds(1)))
            case (.notAnswered, _): break
            case (.notAsked, _): answer.unreached.insert(names[place].market)
            case (let reason, _): answer.unusable[names[place].market] = reason ?? .notAsked
            }
        }
        return PollResult(feed: poll.feed, .answered(answer))
    }
}

extension RehearsalReport {
    /// The least time that is played before the period, so that what was known at its beginning is known.
    private static let warmUp = Duration.hours(24)

    /// Plays the record from `since` on through rules, preceded by as much as the rules look back on.
    ///
    /// - Parameters:
    ///   - withBackfilled: Also plays backfilled prices, as the polls that would have found them.
    ///   - progress: Called with the share done, from 0 to 1.
    init(
        playing reader: HistoryReader, through rules: [AlertRule], _ configuration: Configuration, since: Date,
        withBackfilled: Bool = false, progress: (Double) -> Void = { _ in }
    ) throws {
        guard try reader.lastPoll() != nil else {
            throw CommandError(
                "rehearse with \(reader.path): nothing is recorded yet (start the daemon: pricewatch run)",
                Exit.noSuchData)
        }
        var settings = Settings(configuration, host: "")
        settings.rules = rules
        let memory = rules.filter(\.enabled).map(\.memory).max() ?? .zero
        // A quote may be some minutes older than its poll.
        let begin = since - max(memory + .hours(1), Self.warmUp)
        let span = try reader.span(since: begin, withBackfilled: withBackfilled)
        var report = RehearsalReport(
            of: rules, for: configuration.notify, since: max(since, span?.lowerBound ?? since),
            withBackfilled: withBackfilled)
        if let span {
            let currencies = settings.watchlist.currencies
            let portfolios = settings.watchlist.named.compactMap { item in item.portfolio.map { (item.market, $0) } }
            let parts = portfolios.filter { market, _ in rules.contains { $0.scope.covers(market) } }
                .flatMap { $1.parts.map(\.market) }
            let names = try reader.names(in: currencies, of: nil).filter { name in
                guard !portfolios.contains(where: { $0.0 == name.market }) else { return false }
                return parts.contains(name.market) || rules.contains { $0.scope.covers(name.market) }
            }
            var rehearsal = Rehearsal(names, settings, since: span.lowerBound)
            let length = span.upperBound.since(span.lowerBound)
            var hasBegun = false
            try reader.play(
                names.map(\.market), in: currencies, since: begin, withBackfilled: withBackfilled
            ) { cycle in
                if !hasBegun, cycle.at >= since {
                    rehearsal.forgetLatches()
                    report.start(rehearsal.engine.active)
                    hasBegun = true
                }
                report.add(rehearsal.play(cycle), of: cycle, rehearsal.engine.board)
                progress(cycle.at.since(span.lowerBound).inSeconds / max(1, length.inSeconds))
            }
            report.finish(recorded: rehearsal.seen, length: length)
        }
        self = report
    }
}
