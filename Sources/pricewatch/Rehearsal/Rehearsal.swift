import Engine
import Foundation
import History
import Markets

/// Plays recorded turns through rules, as the daemon that recorded them put its own to them: the same board, the same
/// book, the same decision.
struct Rehearsal {
    private let replay: Replay
    private let items: [Watchlist.Item]
    private let settings: CycleSettings
    /// Asked while turns are played, hence not the one that plays them.
    private let past: HistoryReader
    /// By place, whose each market is.
    private let laneOf: [Lane]
    private(set) var board: MarketBoard
    private var book: AlertBook
    private var recorded: RecordedQuotes
    /// The places of markets that have healed prices from before they were watched. Until then nobody asks for them.
    private var notYetWatched: Set<Int>
    /// When the last usable poll of each lane began.
    private var lastUsable: [Lane: Date] = [:]
    /// The time between two polls of each lane that was in force last, where it was longer than configured.
    private var paces: [Lane: Duration] = [:]
    /// When the daemon was last seen at work.
    private var lastTurn: Date?
    private var downtime: Range<Date>?
    /// Stands in where there never was a usable answer: when the daemon of the moment knew of no poll, its start.
    private var firstAsked: Date?
    private var firstPoll: Date?

    /// - Parameters:
    ///   - settings: of the configuration that is tried.
    ///   - past: not the reader that plays the replay.
    init(_ replay: Replay, _ rules: [AlertRule], _ settings: CycleSettings, past: HistoryReader) {
        self.replay = replay
        self.settings = settings
        self.past = past
        let named = Dictionary(
            settings.watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        let ranked = settings.watchlist
        items = replay.markets.map {
            named[$0.market]
                ?? Watchlist.Item(market: $0.market, staleness: ranked.staleness, moveLimit: ranked.moveLimit)
        }
        laneOf = items.map(\.lane)
        recorded = RecordedQuotes(replay, in: settings.currency)
        notYetWatched = (replay.healed ?? []).subtracting(replay.watched)
        var remembered: [MarketID: MarketBoard.Remembered] = [:]
        for (place, newest) in replay.newest {
            let name = replay.markets[place]
            remembered[name.market] = .init(symbol: name.symbol, name: name.name, newest: newest)
        }
        board = MarketBoard(
            watching: Self.watchlist(replay.watched, notYetWatched, items), remembering: remembered)
        book = Self.book(of: rules, settings)
        lastUsable[.shared] = replay.lastUsablePoll
        lastTurn = replay.lastTurn
        firstPoll = replay.lastTurn
        firstAsked = firstPoll
    }

    /// What the rules have to say of this turn.
    mutating func play(_ turn: RecordedTurn) throws(HistoryError) -> [AlertEvent] {
        if let watched = turn.watched {
            recorded.watched = watched
            notYetWatched.subtract(watched)
            board.watch(watchlist)
        }
        switch turn.kind {
        case .start(let moment):
            start(moment)
            try recall(at: turn, moment)
            return []
        case .recalled(let moment):
            try recall(at: turn, moment)
            return []
        case .waiting(let moment):
            lastTurn = moment
            return judge(answered: [], [:], [:], at: moment)
        case .polls(let polls):
            lastTurn = polls[0].at
            firstPoll = firstPoll ?? polls[0].at
            // Each lane was judged when it answered; after a gap, all with the last one.
            for poll in polls {
                for lane in settings.lanes(of: poll.lane, polled: poll.feed) { paces[lane] = poll.interval }
            }
            let endsGap = lastUsable.values.max().map { polls[0].at.since($0) > shortestInterval * 3 } ?? false
            if endsGap { return try play(polls, turn.number) }
            var events: [AlertEvent] = []
            for poll in polls { events += try play([poll], turn.number) }
            return events
        case .healed(let samples, let feed):
            return play(healed: samples, from: feed)
        }
    }

    /// What comes before the time that is rehearsed is played for the windows alone: it uses up no `once`.
    mutating func forgetRests() { book.forgetRests() }

    /// The markets of which anything was known.
    var seen: Set<MarketID> { recorded.seen }

    /// What is judged at once.
    private mutating func play(_ polls: [RecordedPoll], _ turn: Int64) throws(HistoryError) -> [AlertEvent] {
        var answered: Set<Lane> = []
        var gaps: [Lane: Date] = [:]
        for poll in polls {
            let lanes = settings.lanes(of: poll.lane, polled: poll.feed)
            if let answer = recorded.answer(in: poll, asked: lanes, laneOf) {
                _ = board.take(answer)
                answered.formUnion(lanes)
            }
            guard poll.outcome.isUsable else { continue }
            for lane in lanes {
                gaps[lane] = lastUsable[lane].flatMap { poll.at.since($0) > interval(of: lane) * 3 ? $0 : nil }
                lastUsable[lane] = poll.at
            }
        }
        // Under a clock that is wrong, nothing was judged.
        guard !polls.allSatisfy({ $0.error == "clock" }) else { return [] }
        let ended = polls.filter(\.isAnswered).map(\.fetchedAt).max() ?? polls.map(\.fetchedAt).max()
        return judge(
            answered: answered, gaps, try healed(since: gaps, before: turn), at: ended ?? polls[0].fetchedAt)
    }

    private mutating func play(healed samples: [RecordedPoll.Sample], from feed: String) -> [AlertEvent] {
        let markets = board.take(healed: samples.compactMap { recorded.healed($0) }, from: feed)
        guard let moment = samples.first?.quotedAt, !markets.isEmpty else { return [] }
        return book.evaluate(healed: markets, on: board, at: moment).events
    }

    /// A daemon begins with what the history remembers: prices, not which of them were missing last.
    private mutating func start(_ moment: Date) {
        downtime = Downtime.between(lastTurn, moment, longerThan: shortestInterval * 3)
        firstAsked = firstPoll ?? moment
        let missed = Dictionary(
            board.entries.map { ($0.market, $0.missedAnswers) }, uniquingKeysWith: { first, _ in first })
        board = MarketBoard(watching: watchlist, remembering: board.everythingKnown)
        board.recall(missedAnswers: missed)
    }

    /// The windows of the daemon were counted anew. Where healed prices have turns of their own, they are known already.
    private mutating func recall(at turn: RecordedTurn, _ moment: Date) throws(HistoryError) {
        guard turn.bringsHealed, replay.healed == nil else { return }
        var next = Self.book(of: book.rules, remembering: book.standing, settings)
        try next.recall(
            from: past, settings, watching: board.markets, now: moment, recordedBefore: turn.number)
        book = next
    }

    /// What was healed of gaps when this turn ended them, by the beginnings of the gaps.
    private func healed(
        since gaps: [Lane: Date], before turn: Int64
    ) throws(HistoryError) -> [Date: [MarketID: [PastQuote]]] {
        var found: [Date: [MarketID: [PastQuote]]] = [:]
        for gap in gaps.values where found[gap] == nil {
            found[gap] = try past.healedPrices(
                in: settings.currency, since: gap, until: .distantFuture,
                recordedBefore: replay.healed == nil ? turn : nil)
        }
        return found
    }

    private mutating func judge(
        answered: Set<Lane>, _ gaps: [Lane: Date], _ healed: [Date: [MarketID: [PastQuote]]], at moment: Date
    ) -> [AlertEvent] {
        book.evaluate(
            board,
            at: .init(
                settings, at: moment, answered: answered, gaps: gaps, downtime: downtime,
                interval: interval(of:), healed: { healed[$0] ?? [:] },
                silentSince: { lastUsable[$0] ?? firstAsked ?? firstPoll })
        ).events
    }

    private var shortestInterval: Duration { settings.lanes.map { interval(of: $0.lane) }.min() ?? settings.every }

    private func interval(of lane: Lane) -> Duration { max(settings.every(of: lane), paces[lane] ?? .zero) }

    private static func book(
        of rules: [AlertRule], remembering alerts: [AlertKey: Alert] = [:], _ settings: CycleSettings
    ) -> AlertBook {
        AlertBook(
            rules: rules, remembering: alerts,
            identity: .init(installation: "", host: settings.host, currency: settings.currency),
            every: settings.every(of: .shared), lanes: settings.ownLanes)
    }

    private var watchlist: Watchlist { Self.watchlist(recorded.watched, notYetWatched, items) }

    /// A lane that no poll asks for.
    private static let unasked = Lane.own("")

    private static func watchlist(
        _ watched: [Int], _ notYetWatched: Set<Int>, _ items: [Watchlist.Item]
    ) -> Watchlist {
        let waiting = notYetWatched.sorted().map { place in
            var item = items[place]
            item.lane = unasked
            return item
        }
        return Watchlist(named: watched.map { items[$0] } + waiting, top: 0, staleAfter: .zero)
    }
}
