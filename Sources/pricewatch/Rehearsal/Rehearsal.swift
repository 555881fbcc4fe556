import Engine
import Foundation
import History
import Markets

/// Replays recorded polls through rules, with the same engine as the daemon.
struct Rehearsal {
    private var engine: Engine
    private let items: [Watchlist.Item]
    /// By index, the source of each market.
    private let sources: [SourceID]
    private var recorded: RecordedQuotes
    /// The indices of markets with backfilled prices from before they were watched. Until then no poll asks for them.
    private var notYetWatched: Set<Int>

    /// - Parameter settings: The settings of the configuration to try, with the rules to replay.
    init(_ replay: Replay, _ settings: Settings, since: Date) {
        let named = Dictionary(
            settings.watchlist.named.map { ($0.market, $0) }, uniquingKeysWith: { first, _ in first })
        let ranked = settings.watchlist
        items = replay.markets.map {
            named[$0.market]
                ?? Watchlist.Item(market: $0.market, staleness: ranked.staleness, moveLimit: ranked.moveLimit)
        }
        sources = items.map(\.source)
        recorded = RecordedQuotes(replay, in: settings.currency)
        notYetWatched = (replay.backfilled ?? []).subtracting(replay.watched)
        var known: [MarketID: MarketBoard.Remembered] = [:]
        for (place, newest) in replay.newest {
            let name = replay.markets[place]
            known[name.market] = .init(symbol: name.symbol, name: name.name, newest: newest)
        }
        let board = MarketBoard(
            watching: Self.watchlist(replay.watched, notYetWatched, items), remembering: known)
        let alerts = AlertBook(
            rules: settings.rules, remembering: [:],
            identity: .init(installation: "", host: settings.host, currency: settings.currency),
            every: settings.every(of: .shared), sources: settings.ownSources)
        engine = Engine(
            settings,
            remembering: Remembered(
                board: board, alerts: alerts, summary: RollingSummary(settings, now: since),
                sources: [.shared: .init(lastUsable: replay.lastUsablePoll)],
                firstPoll: replay.lastTurn ?? replay.span?.lowerBound, stored: StoredHistory(database: "")),
            at: Moment(wall: since, uptime: .zero, awake: .zero))
    }

    var board: MarketBoard { engine.board }

    /// The markets with at least one recorded price.
    var seen: Set<MarketID> { recorded.seen }

    /// Plays one cycle and returns the events of the rules.
    mutating func play(_ turn: RecordedCycle) -> [AlertEvent] {
        if let watched = turn.watched {
            recorded.watched = watched
            notYetWatched.subtract(watched)
            engine.watch(Self.watchlist(recorded.watched, notYetWatched, items))
        }
        switch turn.kind {
        case .idle(let moment): return engine.playIdleCycle(at: moment)
        case .polls(let polls):
            // Rules were not evaluated while the clock was wrong.
            let answers = polls.filter { $0.error != "clock" }.map {
                Engine.RecordedAnswer(recorded.result(of: $0, sources), of: $0.source, every: $0.interval)
            }
            return engine.play(answers, at: polls[0].at)
        case .backfilled(let samples, let feed):
            guard let moment = samples.first?.quotedAt else { return [] }
            return engine.play(backfilled: samples.compactMap { recorded.backfilled($0) }, from: feed, at: moment)
        }
    }

    mutating func forgetLatches() { engine.forgetLatches() }

    /// A source without polls.
    private static let unasked = SourceID.own("")

    private static func watchlist(
        _ watched: [Int], _ notYetWatched: Set<Int>, _ items: [Watchlist.Item]
    ) -> Watchlist {
        let waiting = notYetWatched.sorted().map { place in
            var item = items[place]
            item.source = unasked
            return item
        }
        return Watchlist(named: watched.map { items[$0] } + waiting, top: 0, staleness: .init(after: .zero))
    }
}
