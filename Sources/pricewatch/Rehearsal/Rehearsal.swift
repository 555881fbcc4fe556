import Foundation
import History
import Markets

/// Plays recorded turns through rules, as the daemon that recorded them put its own to them: the same board, the same
/// book, the same decision.
struct Rehearsal {
    private let replay: Replay
    private let items: [Watchlist.Item]
    private let settings: CycleSettings
    /// By place, whose each market is.
    private let laneOf: [Lane]
    private(set) var board: MarketBoard
    private var book: AlertBook
    private var recorded: RecordedQuotes
    /// When the last usable poll of each lane began.
    private var lastUsable: [Lane: Date] = [:]
    /// When the daemon was last seen at work.
    private var lastTurn: Date?
    private var downtime: Range<Date>?
    /// Stands in where there never was a usable answer: when the daemon of the moment knew of no poll, its start.
    private var firstAsked: Date?
    private var firstPoll: Date?

    /// - Parameter settings: of the configuration that is tried.
    init(_ replay: Replay, _ rules: [AlertRule], _ settings: CycleSettings) {
        self.replay = replay
        self.settings = settings
        let named = Dictionary(
            settings.watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        let ranked = settings.watchlist
        items = replay.markets.map {
            named[$0.market]
                ?? Watchlist.Item(market: $0.market, staleAfter: ranked.staleAfter, moveLimit: ranked.moveLimit)
        }
        laneOf = items.map(\.lane)
        recorded = RecordedQuotes(replay, in: settings.currency)
        var remembered: [MarketID: MarketBoard.Remembered] = [:]
        for (place, newest) in replay.newest {
            let name = replay.markets[place]
            remembered[name.market] = .init(symbol: name.symbol, name: name.name, newest: newest)
        }
        board = MarketBoard(watching: Self.watchlist(replay.watched, items), remembering: remembered)
        book = AlertBook(
            rules: rules, remembering: [:],
            identity: .init(installation: "", host: settings.host, currency: settings.currency),
            every: settings.every(of: .shared), lanes: settings.ownLanes)
        lastUsable[.shared] = replay.lastUsablePoll
        lastTurn = replay.lastTurn
        firstPoll = replay.lastTurn
        firstAsked = firstPoll
    }

    /// What the rules have to say of this turn.
    mutating func play(_ turn: RecordedTurn) -> [AlertEvent] {
        if let watched = turn.watched {
            board.watch(Self.watchlist(watched, items))
            recorded.watched = watched
        }
        switch turn.kind {
        case .start(let moment):
            start(moment)
            return []
        case .waiting(let moment):
            lastTurn = moment
            return judge(answered: [], [:], at: moment)
        case .polls(let polls):
            lastTurn = polls[0].at
            firstPoll = firstPoll ?? polls[0].at
            // Each lane was judged when it answered; after a gap, all with the last one.
            let endsGap = lastUsable.values.max().map { polls[0].at.since($0) > settings.every * 3 } ?? false
            return endsGap ? play(polls) : polls.flatMap { play([$0]) }
        }
    }

    /// The markets of which anything was known.
    var seen: Set<MarketID> { recorded.seen }

    /// What is judged at once.
    private mutating func play(_ polls: [RecordedPoll]) -> [AlertEvent] {
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
                gaps[lane] = lastUsable[lane].flatMap { poll.at.since($0) > settings.every(of: lane) * 3 ? $0 : nil }
                lastUsable[lane] = poll.at
            }
        }
        // Under a clock that is wrong, nothing was judged.
        guard !polls.allSatisfy({ $0.error == "clock" }) else { return [] }
        let ended = polls.filter(\.isAnswered).map(\.fetchedAt).max() ?? polls.map(\.fetchedAt).max()
        return judge(answered: answered, gaps, at: ended ?? polls[0].fetchedAt)
    }

    /// A daemon begins with what the history remembers: prices, not which of them were missing last.
    private mutating func start(_ moment: Date) {
        downtime = Downtime.between(lastTurn, moment, longerThan: settings.every * 3)
        firstAsked = firstPoll ?? moment
        let missed = Dictionary(
            board.entries.map { ($0.market, $0.missedAnswers) }, uniquingKeysWith: { first, _ in first })
        board = MarketBoard(watching: Self.watchlist(recorded.watched, items), remembering: board.everythingKnown)
        board.recall(missedAnswers: missed)
    }

    private mutating func judge(answered: Set<Lane>, _ gaps: [Lane: Date], at moment: Date) -> [AlertEvent] {
        let lanes = settings.lanes.map { plan in
            let lane = AlertBook.LaneMoment(
                longestStep: plan.every * 3, watchedUntil: gaps[plan.lane], answered: answered.contains(plan.lane),
                lastUsableAnswer: lastUsable[plan.lane] ?? firstAsked ?? firstPoll)
            return (plan.lane, lane)
        }
        return book.evaluate(
            board,
            at: .init(
                now: moment, lanes: Dictionary(lanes, uniquingKeysWith: { first, _ in first }), downtime: downtime)
        ).events
    }

    private static func watchlist(_ watched: [Int], _ items: [Watchlist.Item]) -> Watchlist {
        Watchlist(named: watched.map { items[$0] }, top: 0, staleAfter: .zero)
    }
}
