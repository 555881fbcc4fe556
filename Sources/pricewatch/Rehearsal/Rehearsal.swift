import Foundation
import History
import Markets

/// Plays recorded turns through rules, as the daemon that recorded them put its own to them: the same board, the same
/// book, the same decision.
struct Rehearsal {
    private let replay: Replay
    private let items: [Watchlist.Item]
    private let currency: Currency
    private let longestStep: Duration
    private(set) var board: MarketBoard
    private var book: AlertBook
    private var recorded: RecordedQuotes
    private var lastUsablePoll: Date?
    /// When the daemon was last seen at work.
    private var lastTurn: Date?
    private var downtime: Range<Date>?
    /// Stands in where there never was a usable answer: when the daemon of the moment knew of no poll, its start.
    private var firstAsked: Date?
    private var firstPoll: Date?

    /// - Parameter settings: of the configuration that is tried.
    init(_ replay: Replay, _ rules: [AlertRule], _ settings: CycleSettings) {
        self.replay = replay
        currency = settings.currency
        longestStep = settings.every * 3
        let named = Dictionary(
            settings.watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        let ranked = settings.watchlist
        items = replay.markets.map {
            named[$0.market]
                ?? Watchlist.Item(market: $0.market, staleAfter: ranked.staleAfter, moveLimit: ranked.moveLimit)
        }
        recorded = RecordedQuotes(replay, in: settings.currency)
        var remembered: [MarketID: MarketBoard.Remembered] = [:]
        for (place, newest) in replay.newest {
            let name = replay.markets[place]
            remembered[name.market] = .init(symbol: name.symbol, name: name.name, newest: newest)
        }
        board = MarketBoard(watching: Self.watchlist(replay.watched, items), remembering: remembered)
        book = AlertBook(
            rules: rules, remembering: [:],
            identity: .init(installation: "", host: settings.host, currency: settings.currency), every: settings.every)
        lastUsablePoll = replay.lastUsablePoll
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
            return judge(answered: false, at: moment)
        case .poll(let poll):
            lastTurn = poll.at
            firstPoll = firstPoll ?? poll.at
            return play(poll)
        }
    }

    /// The markets of which anything was known.
    var seen: Set<MarketID> { recorded.seen }

    private mutating func play(_ poll: RecordedPoll) -> [AlertEvent] {
        if let answer = recorded.answer(in: poll) { _ = board.take(answer) }
        switch poll.outcome {
        case .failed where poll.error == "clock": return []
        case .failed: return judge(answered: poll.isAnswered, at: poll.fetchedAt)
        case .ok, .partial, .unchanged:
            let gap = lastUsablePoll.flatMap { poll.at.since($0) > longestStep ? $0 : nil }
            lastUsablePoll = poll.at
            return judge(answered: true, at: poll.fetchedAt, watchedUntil: gap)
        }
    }

    /// A daemon begins with what the history remembers: prices, not which of them were missing last.
    private mutating func start(_ moment: Date) {
        downtime = Downtime.between(lastTurn, moment, longerThan: longestStep)
        firstAsked = firstPoll ?? moment
        let missed = Dictionary(
            board.entries.map { ($0.market, $0.missedAnswers) }, uniquingKeysWith: { first, _ in first })
        board = MarketBoard(watching: Self.watchlist(recorded.watched, items), remembering: board.everythingKnown)
        board.recall(missedAnswers: missed)
    }

    private mutating func judge(answered: Bool, at moment: Date, watchedUntil: Date? = nil) -> [AlertEvent] {
        book.evaluate(
            board,
            at: .init(
                now: moment, longestStep: longestStep, watchedUntil: watchedUntil, answered: answered,
                lastUsableAnswer: lastUsablePoll ?? firstAsked ?? firstPoll, downtime: downtime)
        ).events
    }

    private static func watchlist(_ watched: [Int], _ items: [Watchlist.Item]) -> Watchlist {
        Watchlist(named: watched.map { items[$0] }, top: 0, staleAfter: .zero)
    }
}
