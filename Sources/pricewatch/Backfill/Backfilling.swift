import Engine
import Feeds
import Foundation
import History
import Markets

/// Backfills the gaps of the daemon's named markets, beside the polls, one round at a time.
final class Backfilling: Sendable {
    private let backfiller: Backfiller
    private let sources: [PastSource]
    /// How far back gaps are backfilled.
    private let reach: Duration
    private let log: EventLog

    /// A round ends after this many consecutive obstacles.
    private static let mostObstacles = 5
    private static let rest = Duration.minutes(15)

    /// Nil where nothing is to be backfilled, or no configured feed provides historical prices.
    init?(_ configuration: Configuration, _ feeds: [Feed], _ history: HistoryWriter, log: EventLog) {
        guard let backfill = BackfillSettings(configuration) else { return nil }
        sources = backfill.candidates.compactMap { $0.source(among: feeds) }
        guard !sources.isEmpty else { return nil }
        backfiller = Backfiller(
            store: history, currency: configuration.currency, budget: .daemon, limits: backfill.limits)
        reach = backfill.reach
        self.log = log
    }

    /// The markets with gaps that the next round requests, in the order of the configuration.
    ///
    /// - Parameter longestStep: Polls no further apart than this have no gap between them.
    func backfillable(since: Date, longerThan longestStep: Duration) -> [MarketID] {
        let since = max(since, backfiller.time.now() - reach)
        // The round logs an unreadable history.
        let plan = try? backfiller.plan(sources, since: since, longerThan: longestStep)
        let asked = Set((plan?.steps ?? []).map(\.source.market))
        return sources.map(\.market).filter(asked.contains)
    }

    /// The progress of a round.
    private struct Round {
        var backfilled: [BackfilledMarkets] = []
        /// Requests that may still be sent, by feed name.
        var left: [String: Int] = [:]
        /// Markets that are not requested again in this round.
        var refused: Set<MarketID> = []

        var answers: Int { backfilled.reduce(0) { $0 + $1.answers } }
    }

    /// Runs one round, from the newest gap to the oldest. Returns whether it stored any sample.
    ///
    /// - Parameter longestStep: Polls no further apart than this have no gap between them.
    func round(longerThan longestStep: Duration) async -> Bool {
        var round = Round()
        var obstacles = 0
        while true {
            let before = round.answers
            do {
                try await backfill(longestStep, &round)
                break
            } catch {
                obstacles = round.answers > before ? 1 : obstacles + 1
                guard await canGoOn(after: error, obstacles) else { break }
            }
        }
        for backfilled in round.backfilled { log.write(backfilled) }
        return round.backfilled.contains { $0.samples > 0 }
    }

    private func backfill(_ longestStep: Duration, _ round: inout Round) async throws(Backfiller.Obstacle) {
        let sources = sources.filter { !round.refused.contains($0.market) }
        let plan: BackfillPlan
        do {
            plan = try backfiller.plan(sources, since: backfiller.time.now() - reach, longerThan: longestStep)
        } catch {
            throw .unwritten(error)
        }
        for (feed, _) in plan.requests where round.left[feed.name] == nil {
            round.left[feed.name] = await backfiller.allowance(of: feed)
        }
        var refusals = 0
        for step in plan.steps where !round.refused.contains(step.source.market) {
            let feed = step.source.feed
            // Pauses before the first request too: a poll has just been sent to this feed.
            try await backfiller.pause(for: feed)
            guard round.left[feed.name, default: 0] > 0 else { throw .quota(feed: feed.name) }
            round.left[feed.name]? -= 1
            switch try await backfiller.ask(step) {
            case .answered(let new):
                refusals = 0
                round.backfilled.add(step, new)
            case .settled: continue
            case .refused(let error):
                log.backfillFailed(step.source.market, of: feed.name, error.message)
                round.refused.insert(step.source.market)
                refusals += 1
                if refusals == 3, error.isRetryable { throw .failed(error) }
            }
        }
    }

    /// Sleeps until the obstacle may be gone; false if the round is over.
    private func canGoOn(after obstacle: Backfiller.Obstacle, _ count: Int) async -> Bool {
        let rest: Duration
        switch obstacle {
        case .cancelled: return false
        case .waiting(_, let until, _): rest = until.since(backfiller.time.now())
        case .failed(let error):
            log.backfillFailed(nil, of: nil, error.message)
            rest = error.notBefore.map { $0.at.since(backfiller.time.now()) } ?? Self.rest
        case .quota(let feed):
            log.backfillFailed(nil, of: feed, "what may go into the past of the month's quota is used up")
            return false
        case .unwritten(let error):
            log.backfillFailed(nil, of: nil, "\(error)")
            return false
        }
        guard count < Self.mostObstacles else { return false }
        do { try await backfiller.time.sleep(for: max(rest, .seconds(1))) } catch { return false }
        return true
    }
}

extension [BackfilledMarkets] {
    mutating func add(_ step: BackfillPlan.Step, _ new: Int) {
        let feed = step.source.feed.name
        let place = firstIndex { $0.feed == feed } ?? endIndex
        if place == endIndex { append(BackfilledMarkets(feed: feed)) }
        self[place].add(step.source.market, new, step.holes)
    }
}

extension EventLog {
    func write(_ backfilled: BackfilledMarkets) {
        write(
            LogLine(.info, "history.backfilled") { line in
                line.add("feed", backfilled.feed)
                line.add("markets", backfilled.markets.count)
                line.add("samples", backfilled.samples)
                line.add("from", backfilled.span?.lowerBound)
                line.add("to", backfilled.span?.upperBound)
                line.add("answers", backfilled.answers)
            })
    }

    fileprivate func backfillFailed(_ market: MarketID?, of feed: String?, _ message: String) {
        write(
            LogLine(.warning, "history.unhealed") { line in
                line.add("feed", feed)
                line.add("market", market?.text)
                line.add("message", message)
            })
    }
}

/// The backfilled markets of one feed.
struct BackfilledMarkets: Hashable, Sendable {
    let feed: String
    /// The markets with new samples.
    private(set) var markets: Set<MarketID> = []
    private(set) var samples = 0
    /// Answers, including those without new samples.
    private(set) var answers = 0
    /// The requested span, from the oldest gap to the newest.
    private(set) var span: Range<Date>?

    init(feed: String) { self.feed = feed }

    mutating func add(_ market: MarketID, _ new: Int, _ holes: Holes) {
        answers += 1
        samples += new
        if new > 0 { markets.insert(market) }
        guard let extent = holes.extent else { return }
        span =
            min(
                span?.lowerBound ?? extent.lowerBound, extent.lowerBound)..<max(
                span?.upperBound ?? extent.upperBound, extent.upperBound)
    }
}
