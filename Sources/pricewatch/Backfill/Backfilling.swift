import Feeds
import Foundation
import History
import Markets
import Synchronization

/// Heals the gaps of the daemon's named markets, beside the polls: after the first poll of a start, and after each gap.
/// Asleep otherwise.
final class Backfilling: Sendable {
    private let healer: Healer
    private let sources: [PastSource]
    /// How far back a gap is healed.
    private let reach: Duration
    private let log: EventLog
    private let state: Mutex<State>

    private struct State {
        /// A process of one poll heals nothing.
        var isOn: Bool
        /// A round is due after the next usable poll.
        var isDue: Bool
        var running: Task<Void, Never>?
    }

    /// So many obstacles in a row end a round.
    private static let mostObstacles = 5
    private static let rest = Duration.minutes(15)

    /// Nil where nothing is to be healed, or nobody has a past to give.
    ///
    /// - Parameter isOn: whether the daemon has begun already, under another configuration.
    init?(
        _ settings: CycleSettings, _ feeds: [Feed], _ history: HistoryWriter, log: EventLog, isOn: Bool
    ) {
        guard let backfill = settings.backfill else { return nil }
        sources = backfill.candidates.compactMap { $0.source(among: feeds) }
        guard !sources.isEmpty else { return nil }
        healer = Healer(
            store: history, currency: settings.currency, budget: .daemon, limits: backfill.limits)
        reach = backfill.reach
        self.log = log
        state = Mutex(State(isOn: isOn, isDue: isOn))
    }

    /// The daemon begins: its first usable poll begins a round.
    func begin() {
        state.withLock { state in
            state.isOn = true
            state.isDue = true
        }
    }

    /// The markets of which the next round asks for something from `since` on, in the order of the configuration.
    ///
    /// - Parameter longestStep: what lies between two polls no further apart is no gap.
    func healable(since: Date, longerThan longestStep: Duration) -> [MarketID] {
        let since = max(since, healer.time.now() - reach)
        // A history that cannot be read is told of by the round.
        let plan = try? healer.plan(sources, since: since, longerThan: longestStep)
        let asked = Set((plan?.steps ?? []).map(\.source.market))
        return sources.map(\.market).filter(asked.contains)
    }

    /// A gap has been seen: the next usable poll begins a round.
    func noteGap() { state.withLock { $0.isDue = $0.isOn } }

    /// After a usable poll: begins a round where one is due and none is under way.
    ///
    /// - Parameters:
    ///   - longestStep: what lies between two polls no further apart is no gap.
    ///   - tell: once a round that brought something.
    func polled(longerThan longestStep: Duration, tell: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.isDue, state.running == nil else { return }
            state.isDue = false
            state.running = Task { [weak self] in
                await self?.round(longestStep, tell)
                self?.state.withLock { $0.running = nil }
            }
        }
    }

    /// Ends the round under way; the next one begins where it stood.
    func stop() async {
        let running = state.withLock { $0.running }
        running?.cancel()
        await running?.value
    }

    /// What a round has come to so far.
    private struct Round {
        var healed: [Healed] = []
        /// Requests that may still be sent, by the names of feeds.
        var left: [String: Int] = [:]
        /// Markets that are not asked again in this round.
        var refused: Set<MarketID> = []

        var answers: Int { healed.reduce(0) { $0 + $1.answers } }
    }

    private func round(_ longestStep: Duration, _ tell: @Sendable () async -> Void) async {
        var round = Round()
        var obstacles = 0
        while true {
            let before = round.answers
            do {
                try await heal(longestStep, &round)
                break
            } catch {
                obstacles = round.answers > before ? 1 : obstacles + 1
                guard await canGoOn(after: error, obstacles) else { break }
            }
        }
        for healed in round.healed { log.write(healed) }
        if round.healed.contains(where: { $0.samples > 0 }) { await tell() }
    }

    private func heal(_ longestStep: Duration, _ round: inout Round) async throws(Healer.Obstacle) {
        let sources = sources.filter { !round.refused.contains($0.market) }
        let plan: HealingPlan
        do {
            plan = try healer.plan(sources, since: healer.time.now() - reach, longerThan: longestStep)
        } catch {
            throw .unwritten(error)
        }
        for (feed, _) in plan.requests where round.left[feed.name] == nil {
            round.left[feed.name] = await healer.allowance(of: feed)
        }
        var refusals = 0
        for step in plan.steps where !round.refused.contains(step.source.market) {
            let feed = step.source.feed
            // Before the first one, too: a poll has just been answered.
            try await healer.pause(for: feed)
            guard round.left[feed.name, default: 0] > 0 else { throw .quota(feed: feed.name) }
            round.left[feed.name]? -= 1
            switch try await healer.ask(step) {
            case .answered(let new):
                refusals = 0
                round.healed.add(step, new)
            case .settled: continue
            case .refused(let error):
                log.unhealed(step.source.market, of: feed.name, error.message)
                round.refused.insert(step.source.market)
                refusals += 1
                if refusals == 3, error.isRetryable { throw .failed(error) }
            }
        }
    }

    /// Sleeps until the obstacle may be gone; false where the round is over.
    private func canGoOn(after obstacle: Healer.Obstacle, _ count: Int) async -> Bool {
        let rest: Duration
        switch obstacle {
        case .cancelled: return false
        case .waiting(_, let until, _): rest = until.since(healer.time.now())
        case .failed(let error):
            log.unhealed(nil, of: nil, error.message)
            rest = error.notBefore.map { $0.at.since(healer.time.now()) } ?? Self.rest
        case .quota(let feed):
            log.unhealed(nil, of: feed, "what may go into the past of the month's quota is used up")
            return false
        case .unwritten(let error):
            log.unhealed(nil, of: nil, "\(error)")
            return false
        }
        guard count < Self.mostObstacles else { return false }
        do { try await healer.time.sleep(for: max(rest, .seconds(1))) } catch { return false }
        return true
    }
}

extension [Healed] {
    mutating func add(_ step: HealingPlan.Step, _ new: Int) {
        let feed = step.source.feed.name
        let place = firstIndex { $0.feed == feed } ?? endIndex
        if place == endIndex { append(Healed(feed: feed)) }
        self[place].add(step.source.market, new, step.holes)
    }
}

extension EventLog {
    func write(_ healed: Healed) {
        write(.info, "history.backfilled") { line in
            line.add("feed", healed.feed)
            line.add("markets", healed.markets.count)
            line.add("samples", healed.samples)
            line.add("from", healed.span?.lowerBound)
            line.add("to", healed.span?.upperBound)
            line.add("answers", healed.answers)
        }
    }

    fileprivate func unhealed(_ market: MarketID?, of feed: String?, _ message: String) {
        write(.warning, "history.unhealed") { line in
            line.add("feed", feed)
            line.add("market", market?.text)
            line.add("message", message)
        }
    }
}
